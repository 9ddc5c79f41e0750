// Asking one question of one Metal device, in this process.
#include "probe/ask.h"
#include "metal/encoding.h"
#include "metal/foundation.h"

#include <algorithm>

namespace assay {

namespace {

using metal::Integer;
using metal::UInteger;

Answer unanswered(const metal::SendError& error, const std::string& selector) {
    switch (error.why) {
    case metal::Unanswered::nil_receiver:
        return Answer::none(AnswerStatus::absent, "nil has no " + selector);
    case metal::Unanswered::absent:
        return Answer::none(AnswerStatus::absent);
    case metal::Unanswered::raised:
        break;
    }
    return Answer::none(AnswerStatus::raised, error.detail);
}

/// Integers are passed alike whether signed or not, so every argument travels as NSInteger.
template <class R>
boost::system::result<R, metal::SendError> send_with(id receiver, const char* selector,
                                                     const std::vector<long>& a) {
    switch (a.size()) {
    case 0:
        return metal::try_send<R>(receiver, selector);
    case 1:
        return metal::try_send<R>(receiver, selector, Integer{a[0]});
    case 2:
        return metal::try_send<R>(receiver, selector, Integer{a[0]}, Integer{a[1]});
    case 3:
        return metal::try_send<R>(receiver, selector, Integer{a[0]}, Integer{a[1]}, Integer{a[2]});
    default:
        return metal::try_send<R>(receiver, selector, Integer{a[0]}, Integer{a[1]}, Integer{a[2]},
                                  Integer{a[3]});
    }
}

/// Nothing when the method has the expected type or does not exist; otherwise why it is not called.
std::optional<Answer> differently_typed(id receiver, const std::string& selector,
                                        const std::string& expected) {
    const auto method =
        receiver ? class_getInstanceMethod(object_getClass(receiver), sel_registerName(selector.c_str()))
                 : nullptr;
    if (!method)
        return {};
    const char* encoding = method_getTypeEncoding(method);
    const auto found = metal::normalised_encoding(encoding ? encoding : "");
    if (found == metal::normalised_encoding(expected))
        return {};
    return Answer::none(AnswerStatus::not_asked,
                        selector + " has the type " + found + ", expected " + expected);
}

template <class R, class Convert>
Answer value_answer(id receiver, const std::string& selector, const std::vector<long>& arguments,
                    Convert convert) {
    const auto answer = send_with<R>(receiver, selector.c_str(), arguments);
    if (!answer)
        return unanswered(answer.error(), selector);
    return convert(*answer);
}

Answer text_answer(id string, const std::string& selector) {
    if (!string)
        return Answer::none(AnswerStatus::absent, selector + " answered nil");
    return Answer::of(json::string(metal::to_string(string)));
}

/// Sends the last selector of a path.
Answer ask_leaf(id receiver, const Question& question, const std::string& selector) {
    const auto& query = *question.query;
    std::string expected = query.encoding + "@:";
    for (const auto& argument : query.arguments)
        expected += argument.encoding;
    if (auto answer = differently_typed(receiver, selector, expected))
        return *answer;
    const auto& arguments = question.arguments;
    if (query.encoding == "B")
        return value_answer<BOOL>(receiver, selector, arguments, [](BOOL b) { return Answer::of(b != 0); });
    if (query.encoding == "Q")
        return value_answer<UInteger>(receiver, selector, arguments,
                                      [](UInteger n) { return Answer::of(static_cast<std::uint64_t>(n)); });
    if (query.encoding == "I")
        return value_answer<std::uint32_t>(receiver, selector, arguments, [](std::uint32_t n) {
            return Answer::of(static_cast<std::uint64_t>(n));
        });
    if (query.encoding == "{?=QQQ}")
        return value_answer<metal::Size>(receiver, selector, arguments, [](metal::Size size) {
            return Answer::of(json::array{size.width, size.height, size.depth});
        });
    return value_answer<id>(receiver, selector, arguments,
                            [&](id string) { return text_answer(string, selector); });
}

/// Sends a selector that leads to further objects.
Answer ask_step(id receiver, const std::string& selector, id& next) {
    if (auto answer = differently_typed(receiver, selector, "@@:"))
        return *answer;
    const auto object = metal::try_send<id>(receiver, selector.c_str());
    if (!object)
        return unanswered(object.error(), selector);
    if (!*object)
        return Answer::none(AnswerStatus::absent, selector + " answered nil");
    next = *object;
    return Answer::of(true);
}

/// The names at the end of a path whose other steps are arrays, sorted and each once.
Answer ask_names(id receiver, const Question& question, std::size_t step) {
    const auto& path = question.query->path;
    if (step + 1 == path.size()) {
        const auto name = ask_leaf(receiver, question, path[step]);
        return name.answered() ? Answer::of(json::array{name.value}) : name;
    }
    id array = nullptr;
    if (auto answer = ask_step(receiver, path[step], array); !answer.answered())
        return answer;
    std::vector<id> elements;
    metal::Raised raised;
    if (!metal::guarded([&] { elements = metal::elements(array); }, raised))
        return Answer::none(AnswerStatus::raised, raised.name + ": " + raised.reason);
    std::vector<std::string> names;
    for (const id element : elements) {
        const auto inner = ask_names(element, question, step + 1);
        if (!inner.answered())
            return inner;
        for (const auto& name : inner.value.get_array())
            names.emplace_back(name.get_string());
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    json::array out;
    for (const auto& name : names)
        out.emplace_back(name);
    return Answer::of(std::move(out));
}

} // namespace

Answer ask(id device, const Question& question) {
    const metal::Pool pool;
    if (question.query->kind == "strings")
        return ask_names(device, question, 0);
    const auto& path = question.query->path;
    id receiver = device;
    for (std::size_t step = 0; step + 1 < path.size(); ++step) {
        id next = nullptr;
        if (auto answer = ask_step(receiver, path[step], next); !answer.answered())
            return answer;
        receiver = next;
    }
    return ask_leaf(receiver, question, path.back());
}

} // namespace assay
