// Type encodings of Objective-C methods: made from C++ types, and normalised so that compilers can be
// compared.
#include "metal/encoding.h"

namespace assay::metal {

std::string normalised_encoding(std::string_view encoding) {
    std::string out;
    for (std::size_t i = 0; i < encoding.size(); ++i) {
        const char c = encoding[i];
        if ((c >= '0' && c <= '9') || c == '+' || c == '-')
            continue; // frame offsets
        if (std::string_view("rnNoORVA").find(c) != std::string_view::npos)
            continue; // const, in, inout, out, bycopy, byref, oneway, atomic
        if (c == '"') {
            i = encoding.find('"', i + 1); // the class name of an object argument
            if (i == std::string_view::npos)
                break;
            continue;
        }
        if (c == 'c' || c == 'C')
            out += 'B';
        else if (c == 'l')
            out += 'q';
        else if (c == 'L')
            out += 'Q';
        else if (c == '{' && out.ends_with('^')) {
            // GCC leaves the members out of some pointers' encodings; they do not matter to a call.
            int depth = 1;
            while (depth > 0 && ++i < encoding.size())
                depth += encoding[i] == '{' ? 1 : encoding[i] == '}' ? -1 : 0;
            out += "{}";
        } else if (c == '{') {
            const auto end = encoding.find_first_of("=}", i);
            if (end == std::string_view::npos)
                break;
            out += encoding[end] == '}' ? "{}" : "{";
            i = end;
        } else
            out += c;
    }
    return out;
}

} // namespace assay::metal
