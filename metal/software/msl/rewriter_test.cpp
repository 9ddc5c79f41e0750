#include "metal/software/msl/rewriter.h"

#include "metal/software/msl/literal.h"
#include "metal/software/msl/token.h"
#include <algorithm>
#include <doctest/doctest.h>

using namespace assay::msl;
using Kind = Argument::Kind;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::ptrdiff_t lines(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

std::vector<std::string> entry_names(const Rewritten& r) {
    std::vector<std::string> names;
    for (const auto& entry : r.entries)
        names.push_back(entry.name);
    return names;
}

/// A file with one of everything, as the preprocessor leaves it.
constexpr std::string_view kEverything = R"(# 1 "program_source"
# 1 "<built-in>" 1
# 1 "program_source" 2
using namespace metal;
namespace detail {
struct Complex {
  float re, im;
  Complex(float a, float b) thread : re{a}, im(b) {}
  Complex(float a, float b) threadgroup : re{a}, im{b} {}
  float norm() const thread { return re * re; }
  float norm() const device { return re * re; }
  float norm() const constant;
public:
  operator half() const { return 1.0h; }
};
template <typename T, int N = (3 > 2)> inline T first(const device T* a) { return a[0]; }
template <typename T, int N = (3 > 2)> inline T first(const threadgroup T* b) { return b[0]; }
template <typename T, int N = (3 > 2)> inline T first(device T* a) { return a[0]; }
}
constant bool has_bias [[function_constant(100 + 1)]];
constant uint2 shape [[function_constant(kShape)]];
constant float table[2] = {1.0h, 2.5bf};
[[max_total_threads_per_threadgroup(64 * 2)]]
kernel void plain(device const float* in [[buffer(1)]], device float* out,
                  constant uint& n [[buffer(0), function_constant(has_bias)]],
                  threadgroup float* scratch [[threadgroup(2)]], threadgroup half& more,
                  uint2 gid [[thread_position_in_grid]]) {
  threadgroup float tile[16][16], row[4];
  threadgroup float* pointer = scratch;
  if (is_function_constant_defined(has_bias)) [[likely]] out[gid.x] = in[gid.x] + float(n);
}
template <typename T, int N>
[[kernel]] void scale(device T* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= T(N); }
template [[host_name("scale_" "f32")]] [[kernel]] void scale<float, 4>(device float*, uint);
template [[host_name("scale_f16")]] kernel decltype(scale<half, (2 > 1)>) scale<half, (2 > 1)>;
namespace deep { kernel void inner(device int* x) {} }
template <typename T> kernel void deduced(device T* x) {}
template [[host_name("deduced_i")]] kernel void deduced(device int* x [[buffer(0)]]);
vertex float4 shade(uint i [[vertex_id]]) { return 0; }
)";

} // namespace

TEST_CASE("tokens put together again are the text") {
    for (const std::string_view text :
         {std::string_view(kEverything), std::string_view("0x1e+2 1.e-5f 'a\\'' \"open"),
          std::string_view("a<<b>>c->d::e\n#x\n #y z # 3")}) {
        std::string again;
        for (const Token& token : tokenize(text))
            again += token.text;
        CHECK(again == text);
    }
}

TEST_CASE("the sign after an e belongs to a decimal number and not to a hexadecimal one") {
    CHECK(tokenize("1e+2").size() == 1);
    CHECK(tokenize("0x1e+2").size() == 3);
}

TEST_CASE("an unclosed parenthesis does not hide the end of its block") {
    const auto tokens = tokenize("{(}[]");
    const auto partner = match_brackets(tokens);
    CHECK(partner == std::vector<std::size_t>{2, kNoPartner, 0, 4, 3});
}

TEST_CASE("half and bfloat literals become casts, bare floating-point numbers floats, other numbers stay") {
    CHECK(rewrite_number("1.5h") == "((half)1.5f)");
    CHECK(rewrite_number("3h") == "((half)3)");
    CHECK(rewrite_number("2.5e-3bf") == "((bfloat)2.5e-3f)");
    CHECK(rewrite_number("1.") == "1.f");
    CHECK(rewrite_number("1e-5") == "1e-5f");
    CHECK(rewrite_number("0x1p3") == "0x1p3f");
    for (const char* same : {"1.0f", "0xbf", "0x1h", "7", "1u", "1e5f", "5ul", "0b11", "0x1e5", "0x1p3f"})
        CHECK(rewrite_number(same) == same);
}

TEST_CASE("an unroll pragma whose count is not a number goes") {
    CHECK(rewrite_pragma("#pragma unroll (MIN(N/2, 4))").empty());
    CHECK(rewrite_pragma("#pragma clang loop unroll_count(N)").empty());
    for (const char* same :
         {"#pragma unroll", "#pragma unroll(4)", "#pragma clang loop unroll(full)", "# 1 \"x\"", "#",
          "#pragma METAL fp math_mode(safe)", "#pragma clang fp contract(off)"})
        CHECK(rewrite_pragma(same) == same);
}

TEST_CASE("integer expressions of attributes are evaluated") {
    CHECK(evaluate_integer("3") == 3u);
    CHECK(evaluate_integer("100 + 2*3") == 106u);
    CHECK(evaluate_integer("(1u << 4) | 0x3") == 19u);
    CHECK(evaluate_integer("10 - 2 - 3") == 5u);
    CHECK(evaluate_integer("017") == 15u);
    for (const char* none : {"", "N", "1 +", "(1", "1)", "1/0", "0-1", "4294967296", "1.5", "1 2", "1 << 40"})
        CHECK_FALSE(evaluate_integer(none));
    CHECK_FALSE(evaluate_integer(std::string(100000, '(')));
}

TEST_CASE("a kernel's parameters are collected with their attributes") {
    const Rewritten r = rewrite(kEverything);
    const Kernel& plain = r.kernels.at(0);
    CHECK(plain.name == "plain");
    CHECK(plain.line == 21);
    CHECK(plain.max_total_threads == 128u);
    REQUIRE(plain.arguments.size() == 6);
    const auto expect = [&](std::size_t i, Kind kind, std::uint32_t index, bool reference,
                            std::string_view name) {
        CAPTURE(i);
        CHECK(plain.arguments[i].kind == kind);
        CHECK(plain.arguments[i].index == index);
        CHECK(plain.arguments[i].reference == reference);
        CHECK(plain.arguments[i].name == name);
    };
    expect(0, Kind::buffer, 1, false, "in");
    expect(1, Kind::buffer, 2, false, "out"); // 0 and 1 are taken
    expect(2, Kind::buffer, 0, true, "n");
    expect(3, Kind::threadgroup, 2, false, "scratch");
    expect(4, Kind::threadgroup, 0, true, "more");
    expect(5, Kind::built_in, 0, false, "gid");
    CHECK(plain.arguments[5].built_in == "thread_position_in_grid");
    CHECK(plain.arguments[0].declaration == "device const float* in");
}

TEST_CASE("each kernel and each host_name instantiation is an entry point, a template alone is not") {
    const Rewritten r = rewrite(kEverything);
    CHECK(entry_names(r) ==
          std::vector<std::string>{"plain", "scale_f32", "scale_f16", "deep::inner", "deduced_i"});
    CHECK(r.entries[1].expression == "scale<float, 4>");
    CHECK(r.entries[2].expression == "scale<half, (2 > 1)>");
    CHECK(r.entries[3].scope == "deep");
    CHECK(r.entries[3].expression == "inner");
    CHECK(r.entries[4].expression == "deduced");
    CHECK(r.entries[4].parameter_types == "device int* x");
    CHECK(r.kernels.at(r.entries[2].kernel).name == "scale");
}

TEST_CASE("a kernel that is only declared is no entry point") {
    CHECK(rewrite("kernel void f(device int*);").entries.empty());
    CHECK(rewrite("kernel void f(device int*); kernel void f(device int* x) {}").entries.size() == 1);
}

TEST_CASE("a kernel's host_name replaces its name") {
    CHECK(entry_names(rewrite("[[host_name(\"other\")]] [[kernel]] void f(device int* x) {}")) ==
          std::vector<std::string>{"other"});
}

TEST_CASE("function constants become declarations whose definition the pipeline adds") {
    const Rewritten r = rewrite(kEverything);
    REQUIRE(r.constants.size() == 2);
    CHECK(r.constants[0].name == "has_bias");
    CHECK(r.constants[0].type == "bool");
    CHECK(r.constants[0].index == 101u);
    CHECK(r.constants[1].type == "uint2");
    CHECK_FALSE(r.constants[1].index);
    CHECK(has(r.body, "extern const bool has_bias__defined; extern const bool has_bias;"));
    CHECK(has(r.body, "if ((has_bias__defined)) [[likely]]"));
}

TEST_CASE("threadgroup variables become references, threadgroup pointers stay pointers") {
    const Rewritten r = rewrite(kEverything);
    CHECK(has(r.body, "typedef float tile__threadgroup_type[16][16]; tile__threadgroup_type& tile = "
                      "MSL_THREADGROUP(tile__threadgroup_type, 1);"));
    CHECK(has(r.body, "typedef float row__threadgroup_type[4]; row__threadgroup_type& row = "
                      "MSL_THREADGROUP(row__threadgroup_type, 2);"));
    CHECK(has(r.body, "threadgroup float* pointer = scratch;"));
    const Rewritten typed =
        rewrite("kernel void f() { threadgroup alignas(16) metal::vec<half, 4> a[N < 3 ? 1 : 2]; }");
    CHECK(has(typed.body, "typedef metal::vec<half, 4> a__threadgroup_type[N < 3 ? 1 : 2];"));
}

TEST_CASE("functions that differ in address spaces only are kept once, other overloads all stay") {
    const Rewritten r = rewrite(kEverything);
    CHECK(has(r.body, "Complex(float a, float b) thread : re{a}, im(b) {}"));
    CHECK_FALSE(has(r.body, "threadgroup : re"));
    CHECK(has(r.body, "norm() const thread {"));
    CHECK_FALSE(has(r.body, "norm() const device"));
    CHECK_FALSE(has(r.body, "norm() const constant"));
    CHECK(has(r.body, "first(const device T* a)"));
    CHECK_FALSE(has(r.body, "first(const threadgroup T* b)"));
    CHECK(has(r.body, "first(device T* a)"));
    CHECK(has(r.body, "operator half() const"));
}

TEST_CASE("overloads in different scopes or with different const are different functions") {
    const Rewritten r =
        rewrite("namespace a { void f(device int* x) {} } namespace b { void f(thread int* x) {} }"
                "void g(constant int& x) {} void g(thread int& x) {} void g(const device int& y) {}"
                "float h(thread float2& v) {} float h(thread float& v) {}");
    CHECK(has(r.body, "f(device int* x)"));
    CHECK(has(r.body, "f(thread int* x)"));
    CHECK(has(r.body, "g(constant int& x)"));
    CHECK(has(r.body, "g(thread int& x)"));
    CHECK_FALSE(has(r.body, "g(const device int& y)"));
    CHECK(has(r.body, "h(thread float& v)"));
}

TEST_CASE("Metal's attributes vanish, those of C++ stay") {
    const Rewritten r = rewrite(
        "struct V { float4 p [[position]]; int c [[color(0), user(locn0)]]; };\n"
        "[[nodiscard]] int f(int a [[maybe_unused]], int b[[id(3)]]) { return v[[] { return 0; }()]; }");
    CHECK(has(r.body, "struct V { float4 p ; int c ; };"));
    CHECK(has(r.body, "[[nodiscard]] int f(int a [[maybe_unused]], int b)"));
    CHECK(has(r.body, "v[[] { return 0; }()]"));
}

TEST_CASE("vertex and fragment functions are left out") {
    const Rewritten r = rewrite(
        "fragment half4 f() { return {}; }\n[[vertex]] V v(uint i [[vertex_id]]) { return V{}; }\nint x;");
    CHECK(r.entries.empty());
    CHECK_FALSE(has(r.body, "half4"));
    CHECK_FALSE(has(r.body, "return"));
    CHECK(has(r.body, "\n\nint x;"));
}

TEST_CASE("every line keeps its number, whatever is left out") {
    const Rewritten r = rewrite(kEverything);
    CHECK(lines(r.body) == lines(kEverything));
    const auto line_of = [](std::string_view text, std::string_view part) {
        return lines(text.substr(0, text.find(part)));
    };
    for (const char* part :
         {"operator half", "first(device T* a)", "table[2]", "kernel void plain", "scale(device T* x"})
        CHECK(line_of(r.body, part) == line_of(kEverything, part));
}

TEST_CASE("a kernel macro expanded on one line keeps the marker of that line") {
    const Rewritten r = rewrite(
        "# 7 \"program_source\"\nkernel void f(device int* x\n# 9 \"program_source\"\n [[buffer(0)]]) {}");
    CHECK(r.kernels.at(0).line == 7);
    CHECK(has(r.body, "\n# 9 \"program_source\"\n"));
}

TEST_CASE("a file cut off at any byte is rewritten without a crash") {
    for (std::size_t n = 0; n <= kEverything.size(); ++n) {
        const Rewritten r = rewrite(kEverything.substr(0, n));
        CHECK(lines(r.body) == lines(kEverything.substr(0, n)));
    }
}

TEST_CASE("a file with one byte replaced by a bracket is rewritten without a crash") {
    std::string text(kEverything);
    for (std::size_t n = 0; n < text.size(); n += 7)
        for (const char c : {'(', ']', '{', '}', '<', ';', '"'}) {
            text[n] = c;
            rewrite(text);
            text[n] = kEverything[n];
        }
    CHECK(text == kEverything);
}

TEST_CASE("a large file of the same hostile piece is rewritten in linear time") {
    for (const char* piece : {"(",
                              "[",
                              "{",
                              "}",
                              "<",
                              "[[",
                              "template<",
                              "threadgroup {",
                              ";kernel f(",
                              "template ",
                              "[[function_constant(0)]]",
                              "a b[[function_constant(0)]]",
                              "struct {",
                              "kernel ",
                              "\"",
                              "1.0h(",
                              ":{",
                              "f(){",
                              "f(:{",
                              "\n#\n",
                              "threadgroup T a,",
                              "template kernel f<",
                              "[[host_name(",
                              "(kernel f(",
                              "namespace a{",
                              "namespace a{kernel f(){}"}) {
        INFO(std::string(piece));
        std::string text;
        while (text.size() < (1u << 18))
            text += piece;
        CHECK(lines(rewrite(text).body) == lines(text));
    }
}
