// The C++ text that makes one kernel, with its function constants, a function the runtime can call.
#include "metal/software/msl/entry_source.h"

#include "base/text.h"
#include <algorithm>

namespace assay::msl {

namespace {

std::string in_scope(const std::string& scope, const std::string& text) {
    return scope.empty() ? text + "\n" : "namespace " + scope + " { " + text + " }\n";
}

const Constant* find_value(const FunctionConstant& declared, const std::vector<Constant>& values) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const Constant& value) {
        return value.name.empty() ? declared.index == value.index : declared.name == value.name;
    });
    return found == values.end() ? nullptr : &*found;
}

/// "unsigned int" and "uint" are one type; the namespace does not matter.
std::string canonical_type(std::string_view type) {
    if (type.substr(0, 7) == "metal::")
        type.remove_prefix(7);
    if (type.substr(0, 9) == "unsigned ")
        return "u" + std::string(type.substr(9));
    static const std::pair<std::string_view, std::string_view> kNames[] = {
        {"int32_t", "int"},     {"uint32_t", "uint"}, {"unsigned", "uint"}, {"int16_t", "short"},
        {"uint16_t", "ushort"}, {"int8_t", "char"},   {"uint8_t", "uchar"}, {"int64_t", "long"},
        {"uint64_t", "ulong"},  {"size_t", "ulong"}};
    for (const auto& [alias, name] : kNames)
        if (type == alias)
            return std::string(name);
    return std::string(type);
}

bool is_basic_type(const std::string& type) {
    static const std::string_view kBasic[] = {"bool", "char", "uchar", "short", "ushort", "int",
                                              "uint", "long", "ulong", "half",  "float",  "bfloat"};
    const auto base = std::string_view(type).substr(0, type.find_last_not_of("234") + 1);
    return std::find(std::begin(kBasic), std::end(kBasic), base) != std::end(kBasic);
}

/// Processors without bfloat instructions convert by a call that older compiler libraries lack. It is
/// declared with float in place of __bf16, whose bits travel in the same register: a bfloat in the kernel's
/// intermediate code is how its use is detected.
constexpr std::string_view kConversion =
    "extern \"C\" __attribute__((weak, visibility(\"hidden\"))) float __truncsfbf2(float x) {\n"
    "    unsigned bits = __builtin_bit_cast(unsigned, x);\n"
    "    bits = x != x ? (bits >> 16) | 0x40 : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;\n"
    "    return __builtin_bit_cast(float, bits);\n"
    "}\n";

Result<std::string> define_constant(const FunctionConstant& declared, const std::vector<Constant>& values) {
    const Constant* value = find_value(declared, values);
    const std::string wanted = canonical_type(declared.type);
    // A type of the user's own (an enum, a typedef) can only be judged by the compiler.
    if (value && is_basic_type(wanted) && canonical_type(value->type) != wanted)
        return bad_input("function constant " + declared.name, "is declared as " + declared.type +
                                                                   ", the value given for it is of type " +
                                                                   value->type);
    const std::string type = "const " + declared.type + " ";
    return in_scope(declared.scope,
                    "const bool " + declared.name + "__defined = " + (value ? "true" : "false") + "; " +
                        type + declared.name +
                        (value ? " = (" + declared.type + ")(" + value->literal + ");" : "{};"));
}

/// Built-in values of compute kernels, as the Metal Shading Language specification lists them.
bool is_built_in(const std::string& name) {
    static const std::string_view kNames[] = {"thread_position_in_grid",
                                              "threads_per_grid",
                                              "thread_position_in_threadgroup",
                                              "threads_per_threadgroup",
                                              "dispatch_threads_per_threadgroup",
                                              "threadgroup_position_in_grid",
                                              "threadgroups_per_grid",
                                              "thread_index_in_threadgroup",
                                              "thread_index_in_simdgroup",
                                              "simdgroup_index_in_threadgroup",
                                              "simdgroups_per_threadgroup",
                                              "dispatch_simdgroups_per_threadgroup",
                                              "threads_per_simdgroup",
                                              "thread_execution_width",
                                              "thread_index_in_quadgroup",
                                              "quadgroup_index_in_threadgroup",
                                              "quadgroups_per_threadgroup",
                                              "dispatch_quadgroups_per_threadgroup",
                                              "grid_origin",
                                              "grid_size"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

Result<std::string> pass(const Argument& argument, const Kernel& kernel) {
    const std::string reference = argument.reference ? "_REFERENCE" : "";
    switch (argument.kind) {
    case Argument::Kind::buffer:
        return "MSL_BUFFER" + reference + "(" + argument.index_text + ")";
    case Argument::Kind::threadgroup:
        return "MSL_THREADGROUP_MEMORY" + reference + "(" + argument.index_text + ")";
    case Argument::Kind::built_in:
        if (is_built_in(argument.built_in))
            return "MSL_BUILT_IN(" + argument.built_in + ")";
        return bad_input("kernel " + kernel.name, "attribute \"" + argument.built_in + "\" of parameter \"" +
                                                      argument.name + "\" is no built-in value of a kernel");
    case Argument::Kind::other:
        break;
    }
    return bad_input(
        "kernel " + kernel.name,
        "parameter \"" + argument.declaration +
            "\" is neither a buffer, threadgroup memory nor a built-in value: this device passes no others");
}

} // namespace

Result<std::string> entry_source(const Rewritten& source, const EntryPoint& entry,
                                 const std::vector<Constant>& constants) {
    std::string text(kConversion);
    for (const auto& declared : source.constants) {
        const auto definition = define_constant(declared, constants);
        if (!definition)
            return definition.error();
        text += *definition;
    }
    const Kernel& kernel = source.kernels.at(entry.kernel);
    std::vector<std::string> arguments;
    for (const auto& argument : kernel.arguments) {
        const auto passed = pass(argument, kernel);
        if (!passed)
            return passed.error();
        arguments.push_back(*passed);
    }
    std::string function = entry.expression;
    if (!entry.parameter_types.empty()) {
        text += in_scope(entry.scope, "static void (*const msl_selected)(" + entry.parameter_types +
                                          ") = " + entry.expression + ";");
        function = "msl_selected";
    }
    const std::string call = function + "(" + join(arguments, ", ") + ");";
    return text + in_scope(entry.scope, "MSL_ENTRY_BEGIN " + call + " MSL_ENTRY_END");
}

} // namespace assay::msl
