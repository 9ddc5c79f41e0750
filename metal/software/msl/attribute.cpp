// `[[…]]` attributes of Metal source.
#include "metal/software/msl/attribute.h"

namespace assay::msl {

std::vector<Attribute> parse_attributes(const TokenList& tokens, std::size_t begin, std::size_t end) {
    std::vector<Attribute> out;
    const std::size_t close = tokens.partner(begin + 1);
    if (close == kNoPartner || close > end)
        return out;
    for (const auto& [from, to] : tokens.split_commas(begin + 2, close)) {
        Attribute a;
        a.begin = begin;
        std::size_t open = from;
        while (open < to && !tokens.is(open, "("))
            ++open;
        a.name = tokens.joined(from, open);
        if (const std::size_t partner = tokens.partner(open); open < to && partner != kNoPartner)
            a.arguments = tokens.joined(open + 1, partner);
        out.push_back(std::move(a));
    }
    return out;
}

bool is_standard_attribute(std::string_view name) {
    return is_one_of(name, {"likely", "unlikely", "maybe_unused", "fallthrough", "nodiscard", "noreturn",
                            "deprecated", "no_unique_address"}) ||
           name.substr(0, 7) == "clang::" || name.substr(0, 5) == "gnu::";
}

} // namespace assay::msl
