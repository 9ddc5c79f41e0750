// The functions that answer in the place of a device's methods.
#include "shim/inject/hooks.h"
#include "shim/inject/objc_runtime.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <utility>

namespace assay::shim {

namespace {

/// Set once and from then on only read, so that cores do not fight over its cache line.
class Consulted {
  public:
    void mark() noexcept {
        if (!flag_.load(std::memory_order_relaxed))
            flag_.store(true, std::memory_order_relaxed);
    }
    bool get() const { return flag_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> flag_{false};
};

struct Constant {
    std::uint64_t value = 0;
    Consulted consulted;
};
std::array<Constant, kOverridableCount> g_constants;

struct Family {
    long number = 0;
    BOOL answer = 0;
    Consulted consulted;
};
/// Ascending, and closed by kEnd, which no search passes. A program that really asks for kEnd gets the stock
/// answer.
constexpr long kEnd = std::numeric_limits<long>::max();
Family* g_families = nullptr;

// noexcept although stock code may raise: the call is the function's last act, and an exception passes
// through a frame that promises nothing about its callee. A hook that could catch would cost more than the
// stock call.
using StockFamily = BOOL (*)(id, SEL, long) noexcept;
std::array<StockFamily, kMostDeviceClasses> g_stock_family;
std::size_t g_family_hooks = 0;

template <std::size_t Row>
BOOL boolean_hook(id, SEL) noexcept {
    Constant& constant = g_constants[Row];
    constant.consulted.mark();
    return constant.value != 0;
}

template <std::size_t Row>
std::uint64_t integer_hook(id, SEL) noexcept {
    Constant& constant = g_constants[Row];
    constant.consulted.mark();
    return constant.value;
}

template <std::size_t Row>
std::uint32_t integer32_hook(id, SEL) noexcept {
    Constant& constant = g_constants[Row];
    constant.consulted.mark();
    return static_cast<std::uint32_t>(constant.value);
}

template <std::size_t Slot>
BOOL family_hook(id self, SEL selector, long number) noexcept {
    Family* family = g_families;
    while (family->number < number)
        ++family;
    if (family->number != number || number == kEnd) [[unlikely]]
        return g_stock_family[Slot](self, selector, number);
    family->consulted.mark();
    return family->answer;
}

template <std::size_t Row>
IMP hook_of_row() {
    switch (kOverridableQueries[Row].kind) {
    case AnswerKind::boolean:
        return as_implementation(boolean_hook<Row>);
    case AnswerKind::integer:
        return as_implementation(integer_hook<Row>);
    case AnswerKind::integer32:
        return as_implementation(integer32_hook<Row>);
    }
    return nullptr;
}

template <std::size_t... I>
std::array<IMP, sizeof...(I)> constant_hooks(std::index_sequence<I...>) {
    return {hook_of_row<I>()...};
}
template <std::size_t... I>
std::array<IMP, sizeof...(I)> family_hooks(std::index_sequence<I...>) {
    return {as_implementation(family_hook<I>)...};
}

const auto& all_constant_hooks() {
    static const auto hooks = constant_hooks(std::make_index_sequence<kOverridableCount>());
    return hooks;
}
const auto& all_family_hooks() {
    static const auto hooks = family_hooks(std::make_index_sequence<kMostDeviceClasses>());
    return hooks;
}

std::uint64_t as_number(const ShimAnswer& answer) {
    const auto* flag = std::get_if<bool>(&answer);
    return flag ? std::uint64_t{*flag} : std::get<std::uint64_t>(answer);
}

Family* find_family(long number) {
    Family* family = g_families;
    while (family->number < number)
        ++family;
    return family;
}

} // namespace

void set_answers(const std::vector<Override>& overrides) {
    std::vector<std::pair<long, bool>> families;
    for (const auto& one : overrides) {
        if (one.target.is_family())
            families.emplace_back(one.target.family, as_number(one.answer) != 0);
        else
            g_constants[one.target.row].value = as_number(one.answer);
    }
    std::sort(families.begin(), families.end());
    // Never freed: hooks outlive everything.
    g_families = new Family[families.size() + 1];
    for (std::size_t i = 0; i < families.size(); ++i) {
        g_families[i].number = families[i].first;
        g_families[i].answer = families[i].second ? 1 : 0;
    }
    g_families[families.size()].number = kEnd;
}

bool was_consulted(const Override& override_) {
    const auto& target = override_.target;
    return target.is_family() ? find_family(target.family)->consulted.get()
                              : g_constants[target.row].consulted.get();
}

IMP constant_hook(std::size_t row) { return all_constant_hooks()[row]; }

IMP take_family_hook(IMP stock) {
    if (g_family_hooks == kMostDeviceClasses)
        return nullptr;
    g_stock_family[g_family_hooks] = reinterpret_cast<StockFamily>(reinterpret_cast<void (*)()>(stock));
    return all_family_hooks()[g_family_hooks++];
}

bool is_hook(IMP implementation) {
    const auto holds = [implementation](const auto& hooks) {
        return std::find(hooks.begin(), hooks.end(), implementation) != hooks.end();
    };
    return holds(all_constant_hooks()) || holds(all_family_hooks());
}

} // namespace assay::shim
