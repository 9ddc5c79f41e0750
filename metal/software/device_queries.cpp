// The device's query methods: one function per row of the query tables.
#include "metal/software/device_queries.h"
#include "base/text.h"
#include "metal/foundation.h"
#include "metal/gpu_family.h"
#include "metal/software/derivations.h"
#include "metal/software/failure.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace assay::software {

namespace {

using metal::Integer;
using metal::UInteger;

struct Architecture {
    id name;
};
struct CounterSet {
    id name;
    id counters;
};
struct Counter {
    id name;
};

id retained_string(const std::string& text) { return metal::send<id>(metal::ns_string(text), "retain"); }

/// An array (+1) with one object made by `make_one` for each of the names, which are separated by commas.
template <class F>
id array_of(const std::string& names, F make_one) {
    const id array = metal::send<id>(metal::send<id>(metal::class_named("NSMutableArray"), "alloc"), "init");
    for (const auto name : split(names, ','))
        if (!trim(name).empty())
            metal::send<void>(array,
                              "addObject:", autorelease(make_one(retained_string(std::string(trim(name))))));
    return array;
}

id counter_sets(const DeviceFile& file, const std::string& names) {
    const auto* reported = file.report(kCounterNamesKey);
    const id counters =
        array_of(reported ? reported->text() : "", [](id name) { return make<Counter>(name); });
    return array_of(names, [&](id name) { return make<CounterSet>(name, counters); });
}

/// Deals with the reported failure of query I and with the faults that name it. True: answer nil.
bool meet_trouble(id self, const Device& device, const Query& query) {
    if (const auto* answer = device.file.report(query.key))
        meet_status(*answer, query.selector);
    const Occasion occasion{.device = self, .query = query.key, .selector = query.selector};
    stop_here(device.faults, occasion);
    return device.faults.strikes(Effect::nil_without_error, occasion) != nullptr;
}

template <std::size_t I>
const AnswerSlot& slot(id self, bool* refused = nullptr) {
    const Device& device = device_of(self);
    const AnswerSlot& answer = device.answers[I];
    if (answer.troubled) [[unlikely]] {
        const bool struck = meet_trouble(self, device, kQueries[I]);
        if (refused)
            *refused = struck;
    }
    return answer;
}

template <std::size_t I>
BOOL answer_boolean(id self, SEL) {
    return slot<I>(self).number != 0;
}
template <std::size_t I>
UInteger answer_integer(id self, SEL) {
    return slot<I>(self).number;
}
template <std::size_t I>
std::uint32_t answer_integer32(id self, SEL) {
    return static_cast<std::uint32_t>(slot<I>(self).number);
}
template <std::size_t I>
UInteger answer_allocated(id self, SEL) {
    return slot<I>(self).number + device_of(self).allocated.load(std::memory_order_relaxed);
}
template <std::size_t I>
metal::Size answer_size(id self, SEL) {
    return slot<I>(self).size;
}
template <std::size_t I>
id answer_object(id self, SEL) {
    bool refused = false;
    const id object = slot<I>(self, &refused).object;
    return refused ? nullptr : object;
}

template <std::size_t I>
void add_query(ClassBuilder& builder, const Device& device) {
    constexpr const Query& query = kQueries[I];
    const auto* answer = device.file.report(query.key);
    if (!(answer && answer->has_method()) && !device.faults.names_query(query.key, query.selector))
        return;
    if constexpr (query.type == AnswerType::boolean)
        builder.method(query.selector, answer_boolean<I>);
    else if constexpr (query.type == AnswerType::integer)
        builder.method(query.selector, answer_integer<I>);
    else if constexpr (query.type == AnswerType::integer32)
        builder.method(query.selector, answer_integer32<I>);
    else if constexpr (query.type == AnswerType::allocated)
        builder.method(query.selector, answer_allocated<I>);
    else if constexpr (query.type == AnswerType::size)
        builder.method(query.selector, answer_size<I>);
    else
        builder.method(query.selector, answer_object<I>);
}

/// The reported answer for one argument, or null.
const Answer* argument_answer(const Device& device, const ArgumentQuery& query, std::uint64_t argument) {
    const auto number = std::string(query.name) + "(" + std::to_string(argument) + ")";
    if (const auto* answer = device.file.report(number))
        return answer;
    const auto named = std::ranges::find(query.values, argument, &NamedValue::value);
    if (named == query.values.end())
        return nullptr;
    return device.file.report(std::string(query.name) + "(" + std::string(named->name) + ")");
}

template <std::size_t I>
std::uint64_t ask_with_argument(id self, std::uint64_t argument) {
    constexpr const ArgumentQuery& query = kArgumentQueries[I];
    const Device& device = device_of(self);
    if (device.faults.names_query(query.name, query.selector))
        stop_here(device.faults, {.device = self, .query = query.name, .selector = query.selector});
    const auto* answer = argument_answer(device, query, argument);
    if (answer && answer->has_method()) {
        meet_status(*answer, query.selector);
        return answer->number();
    }
    if (query.aborts)
        fail_assertion("-[" + device.file.class_name + " " + query.selector + "]",
                       "format is not a valid pixel format, got " + std::to_string(argument));
    return 0;
}

template <std::size_t I>
BOOL answer_boolean_of(id self, SEL, UInteger argument) {
    return ask_with_argument<I>(self, argument) != 0;
}
template <std::size_t I>
UInteger answer_integer_of(id self, SEL, UInteger argument) {
    return ask_with_argument<I>(self, argument);
}

template <std::size_t I>
void add_argument_query(ClassBuilder& builder, const Device& device) {
    constexpr const ArgumentQuery& query = kArgumentQueries[I];
    const bool reported = std::ranges::any_of(device.file.reports, [&](const auto& report) {
        const auto parts = split_key(report.first);
        return parts && parts->name == query.name && report.second.has_method();
    });
    if (!reported && !device.faults.names_query(query.name, query.selector))
        return;
    if constexpr (query.type == AnswerType::boolean)
        builder.method(query.selector, answer_boolean_of<I>);
    else
        builder.method(query.selector, answer_integer_of<I>);
}

/// A selector that the class has only to fail when it is called.
id answer_failing(id self, SEL selector) {
    const Device& device = device_of(self);
    const char* name = sel_getName(selector);
    if (const auto* answer = device.file.report(name))
        meet_status(*answer, name);
    stop_here(device.faults, {.device = self, .query = name, .selector = name});
    return nullptr;
}

/// Adds the failing method with as many object arguments as the selector has colons.
void add_failing(ClassBuilder& builder, const std::string& selector) {
    switch (std::ranges::count(selector, ':')) {
    case 0:
        builder.method(selector.c_str(), answer_failing);
        break;
    case 1:
        builder.method(
            selector.c_str(), +[](id self, SEL name, id) -> id { return answer_failing(self, name); });
        break;
    default:
        builder.method(
            selector.c_str(), +[](id self, SEL name, id, id) -> id { return answer_failing(self, name); });
    }
}

} // namespace

void meet_status(const Answer& answer, std::string_view selector) {
    switch (answer.status) {
    case AnswerStatus::answered:
    case AnswerStatus::absent:
    case AnswerStatus::not_asked:
        return;
    case AnswerStatus::raised: {
        // Tables record "name: reason".
        const auto colon = answer.detail.find(": ");
        if (colon != std::string::npos && answer.detail.find(' ') > colon)
            raise(answer.detail.substr(0, colon), answer.detail.substr(colon + 2));
        raise("NSInvalidArgumentException",
              answer.detail.empty() ? std::string(selector) + ": unrecognized selector" : answer.detail);
    }
    case AnswerStatus::aborted:
        fail_assertion(std::string(selector), answer.detail.empty() ? "unexpected request" : answer.detail);
    case AnswerStatus::timeout:
        hang();
    }
}

void register_answer_classes() {
    const auto object = reinterpret_cast<Class>(metal::class_named("NSObject"));
    ClassBuilder("MTLArchitecture", object)
        .boxes<Architecture>()
        .method(
            "name", +[](id self, SEL) -> id { return boxed<Architecture>(self)->name; })
        .finish();
    ClassBuilder("AssayCounterSet", object)
        .boxes<CounterSet>()
        .method(
            "name", +[](id self, SEL) -> id { return boxed<CounterSet>(self)->name; })
        .method(
            "counters", +[](id self, SEL) -> id { return boxed<CounterSet>(self)->counters; })
        .finish();
    ClassBuilder("AssayCounter", object)
        .boxes<Counter>()
        .method(
            "name", +[](id self, SEL) -> id { return boxed<Counter>(self)->name; })
        .finish();
}

void fill_answers(Device& device) {
    for (std::size_t i = 0; i < kQueryCount; ++i) {
        const Query& query = kQueries[i];
        AnswerSlot& slot = device.answers[i];
        const auto* answer = device.file.report(query.key);
        slot.troubled =
            device.faults.names_query(query.key, query.selector) || (answer && !answer->answered());
        if (!answer || !answer->answered())
            continue;
        slot.number = answer->number();
        slot.size = answer->size();
        if (query.type == AnswerType::string)
            slot.object = retained_string(answer->text());
        else if (query.type == AnswerType::architecture)
            slot.object = make<Architecture>(retained_string(answer->text()));
        else if (query.type == AnswerType::counter_sets)
            slot.object = counter_sets(device.file, answer->text());
    }
    for (const auto& [key, answer] : device.file.reports) {
        const auto parts = split_key(key);
        if (!parts || parts->name != "supportsFamily" || answer.answered())
            continue;
        if (const auto family = metal::gpu_family_value(parts->argument))
            device.troubled_families.push_back(*family);
    }
}

void add_query_methods(ClassBuilder& builder, const Device& device) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (add_query<I>(builder, device), ...); }
    (std::make_index_sequence<kQueryCount>());
    [&]<std::size_t... I>(std::index_sequence<I...>) { (add_argument_query<I>(builder, device), ...); }
    (std::make_index_sequence<kArgumentQueryCount>());
    auto failing = device.faults.selectors();
    for (const auto& [key, answer] : device.file.reports)
        if (key.starts_with("new") && !split_key(key) && answer.has_method() && !answer.answered())
            failing.push_back(key);
    for (const auto& selector : failing)
        add_failing(builder, selector);
}

BOOL supports_family(id self, SEL selector, Integer family) {
    const Device& device = device_of(self);
    if (!device.troubled_families.empty()) [[unlikely]] {
        if (std::ranges::find(device.troubled_families, family) != device.troubled_families.end())
            meet_status(*device.file.report("supportsFamily(" + metal::gpu_family_name(family) + ")"),
                        sel_getName(selector));
    }
    return std::ranges::find(device.families, family) != device.families.end();
}

void derive_answers(id device) {
    Device& state = device_of(device);
    const auto stock = state.file.families();
    for (std::size_t i = 0; i < kQueryCount; ++i) {
        const auto* rule = find_derivation(kQueries[i].key);
        const auto* reported = state.file.report(kQueries[i].key);
        if (!rule || !reported || !reported->answered())
            continue;
        const auto at_stock =
            derive(*rule, [&](Integer family) { return std::ranges::binary_search(stock, family); });
        if (at_stock == reported->number())
            state.answers[i].number = derive(*rule, [&](Integer family) {
                return metal::send<BOOL>(device, "supportsFamily:", family) != 0;
            });
    }
}

} // namespace assay::software
