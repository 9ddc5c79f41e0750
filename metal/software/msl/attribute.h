// `[[…]]` attributes of Metal source.
#pragma once
#include "metal/software/msl/token_list.h"
#include <string>
#include <vector>

namespace assay::msl {

/// One attribute of a list, e.g. `buffer(0)`.
struct Attribute {
    std::string name;
    std::string arguments; ///< text between the parentheses
    std::size_t begin = 0; ///< the token that opens the whole list
};

/// The attributes of the list in [begin, end), where `end` is tokens.attribute_end(begin).
std::vector<Attribute> parse_attributes(const TokenList& tokens, std::size_t begin, std::size_t end);

/// True for attributes of C++ itself, which the compiler understands; Metal's own are for the rewriter.
bool is_standard_attribute(std::string_view name);

} // namespace assay::msl
