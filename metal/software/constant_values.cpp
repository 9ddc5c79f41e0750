// MTLFunctionConstantValues: values become C++ expressions of the same bits.
#include "metal/software/constant_values.h"
#include "metal/foundation.h"
#include "metal/software/class_builder.h"
#include "metal/software/failure.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace assay::software {

namespace {

using metal::UInteger;

struct Values {
    std::vector<msl::Constant> constants;
};

Values& values_of(id object) {
    auto*& values = boxed<Values>(object);
    if (!values)
        values = new Values;
    return *values;
}

/// The scalar of four consecutive values of MTLDataType: T, T2, T3, T4.
struct ScalarType {
    UInteger first;
    const char* name;
    std::size_t size;
    const char* bits; ///< for floating point: the integer type that holds the same bits
};
constexpr ScalarType kScalars[] = {
    {3, "float", 4, "unsigned int"}, {16, "half", 2, "unsigned short"}, {29, "int", 4, nullptr},
    {33, "uint", 4, nullptr},        {37, "short", 2, nullptr},         {41, "ushort", 2, nullptr},
    {45, "char", 1, nullptr},        {49, "uchar", 1, nullptr},         {53, "bool", 1, nullptr},
    {81, "long", 8, nullptr},        {85, "ulong", 8, nullptr},         {121, "bfloat", 2, "unsigned short"},
};

std::string scalar_literal(const ScalarType& type, const void* value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value, type.size);
    const auto number = std::to_string(bits) + "ull";
    if (type.bits)
        return "__builtin_bit_cast(" + std::string(type.name) + ", static_cast<" + type.bits + ">(" + number +
               "))";
    return "static_cast<" + std::string(type.name) + ">(" + number + ")";
}

/// Name and literal of a value; false for a type that constants cannot have.
bool describe(const void* value, UInteger type, msl::Constant& out, std::size_t& size) {
    for (const auto& scalar : kScalars) {
        if (type < scalar.first || type > scalar.first + 3)
            continue;
        const std::size_t width = type - scalar.first + 1;
        out.type = scalar.name;
        size = scalar.size * (width == 3 ? 4 : width);
        if (width == 1) {
            out.literal = scalar_literal(scalar, value);
            return true;
        }
        out.type += std::to_string(width);
        out.literal = out.type + "(";
        for (std::size_t i = 0; i < width; ++i)
            out.literal +=
                (i ? ", " : "") + scalar_literal(scalar, static_cast<const char*>(value) + i * scalar.size);
        out.literal += ")";
        return true;
    }
    return false;
}

/// Adds or replaces a value; returns its size in bytes.
std::size_t set_value(id self, const void* value, UInteger type, std::uint32_t index,
                      const std::string& name) {
    msl::Constant constant;
    std::size_t size = 0;
    if (!describe(value, type, constant, size))
        fail_assertion("-[MTLFunctionConstantValues setConstantValue:type:]",
                       "type " + std::to_string(type) + " is not a scalar or vector type");
    constant.index = index;
    constant.name = name;
    auto& constants = values_of(self).constants;
    std::erase_if(constants,
                  [&](const msl::Constant& old) { return old.name == name && old.index == index; });
    constants.push_back(std::move(constant));
    return size;
}

} // namespace

void register_constant_values_class() {
    ClassBuilder("MTLFunctionConstantValues", reinterpret_cast<Class>(metal::class_named("NSObject")))
        .boxes<Values>()
        .method(
            "setConstantValue:type:atIndex:",
            +[](id self, SEL, const void* value, UInteger type, UInteger index) {
                set_value(self, value, type, static_cast<std::uint32_t>(index), {});
            })
        .method(
            "setConstantValues:type:withRange:",
            +[](id self, SEL, const void* values, UInteger type, metal::Range range) {
                const auto* next = static_cast<const char*>(values);
                for (UInteger i = 0; i < range.length; ++i)
                    next += set_value(self, next, type, static_cast<std::uint32_t>(range.location + i), {});
            })
        .method(
            "setConstantValue:type:withName:",
            +[](id self, SEL, const void* value, UInteger type, id name) {
                set_value(self, value, type, 0, metal::to_string(name));
            })
        .method(
            "reset", +[](id self, SEL) { values_of(self).constants.clear(); })
        .finish();
}

std::vector<msl::Constant> constant_values(id values) {
    return values ? values_of(values).constants : std::vector<msl::Constant>();
}

} // namespace assay::software
