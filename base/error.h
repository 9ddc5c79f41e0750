// What went wrong, for whom to act on, and the result type that carries it.
#pragma once
#include <boost/system/result.hpp>
#include <string>

namespace assay {

/// Who has to act. The value is the exit code of the program (see docs: exit codes).
enum class ErrorKind {
    bad_input = 2,   ///< usage or an unreadable, malformed or contradictory input
    environment = 3, ///< this machine cannot do it (no device, missing tool, disk full)
    internal = 4,    ///< a defect of this program
};

/// One error as a person reads it: where it is, what is wrong, what to do next.
struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string where;     ///< file, file and JSON pointer, or query key; may be empty
    std::string message;   ///< what is wrong and what was expected
    std::string next_step; ///< what the reader can do; may be empty

    /// "where: message (next step)" on one line, or several lines if the message has several.
    std::string text() const;
};

template <class T>
using Result = boost::system::result<T, Error>;

/// Called by Result::value() on an error; throws std::runtime_error with the error's text.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& location);

Error bad_input(std::string where, std::string message, std::string next_step = {});
Error environment_error(std::string where, std::string message, std::string next_step = {});
Error internal_error(std::string where, std::string message);

} // namespace assay
