// The compiler's messages as the user should see them: about their file, with their lines.
#pragma once
#include <string>
#include <string_view>

namespace assay::msl {

/// The name Metal gives to source that comes as a string.
inline constexpr std::string_view kSourceName = "program_source";

/// The file that calls a kernel: notes about it mean nothing to a user.
inline constexpr std::string_view kEntryFile = "entry.cpp";

/// Rewrites messages of the form "program_source:LINE:COLUMN: kind: text" about `compiled`, the text the
/// compiler saw, into ones about `source`, the user's: the column is that of the same token in the user's
/// line, and the line follows with a caret. Paths below `headers` become bare file names; "In file included
/// from" lines go.
std::string explain(std::string_view messages, std::string_view compiled, std::string_view source,
                    std::string_view headers);

/// One message in the same form.
std::string diagnostic(std::size_t line, std::size_t column, std::string_view kind, std::string_view text);

} // namespace assay::msl
