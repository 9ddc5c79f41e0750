// Text and constructors of errors.
#include "base/error.h"

#include <stdexcept>
#include <utility>

namespace assay {

std::string Error::text() const {
    std::string out = where.empty() ? message : where + ": " + message;
    if (!next_step.empty())
        out += (message.find('\n') == std::string::npos ? " (" : "\n(") + next_step + ")";
    return out;
}

void throw_exception_from_error(const Error& error, const boost::source_location&) {
    throw std::runtime_error(error.text());
}

Error bad_input(std::string where, std::string message, std::string next_step) {
    return {ErrorKind::bad_input, std::move(where), std::move(message), std::move(next_step)};
}

Error environment_error(std::string where, std::string message, std::string next_step) {
    return {ErrorKind::environment, std::move(where), std::move(message), std::move(next_step)};
}

Error internal_error(std::string where, std::string message) {
    return {ErrorKind::internal, std::move(where), std::move(message), {}};
}

} // namespace assay
