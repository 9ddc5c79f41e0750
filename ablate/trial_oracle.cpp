// Makes the search's trials.
#include "ablate/trial_oracle.h"
#include <algorithm>

namespace assay::ablate {

namespace {

constexpr std::string_view kNextStep =
    "restart the virtual machine (or the machine), then continue with --resume";

json::object to_json(const std::map<std::string, json::value>& map) {
    json::object out;
    for (const auto& [key, value] : map)
        out[key] = value;
    return out;
}

std::map<std::string, json::value> map_of(const json::object& event, std::string_view member) {
    std::map<std::string, json::value> out;
    if (const auto* found = event.if_contains(member); found != nullptr && found->is_object())
        for (const auto& [key, value] : found->get_object())
            out[std::string(key)] = value;
    return out;
}

std::string text_of(const json::object& event, std::string_view member) {
    const auto* found = event.if_contains(member);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::size_t number_of(const json::object& event, std::string_view member) {
    const auto* found = event.if_contains(member);
    return found != nullptr && found->is_number() ? found->to_number<std::size_t>() : 0;
}

constexpr std::pair<Outcome::Status, std::string_view> kStatusNames[] = {
    {Outcome::Status::passed, "passed"},
    {Outcome::Status::failed, "failed"},
    {Outcome::Status::not_reported, "not_reported"},
    {Outcome::Status::skipped, "skipped"},
    {Outcome::Status::inconclusive, "inconclusive"},
};

std::string_view name_of(Outcome::Status status) {
    return std::find_if(std::begin(kStatusNames), std::end(kStatusNames),
                        [&](const auto& row) { return row.first == status; })
        ->second;
}

Outcome outcome_of(const json::object& event) {
    Outcome out;
    const std::string name = text_of(event, "outcome");
    for (const auto& [status, text] : kStatusNames)
        if (text == name)
            out.status = status;
    out.rung = text_of(event, "rung");
    out.detail = text_of(event, "detail");
    out.inputs = number_of(event, "inputs");
    return out;
}

TrialRequest request_of(const json::object& event) {
    TrialRequest out;
    out.purpose =
        text_of(event, "purpose") == purpose_name(Purpose::confirm) ? Purpose::confirm : Purpose::set;
    out.overrides = map_of(event, "overrides");
    if (const auto* found = event.if_contains("variants"); found != nullptr && found->is_array())
        for (const auto& id : found->get_array())
            if (id.is_string())
                out.variants.emplace_back(id.get_string());
    out.repeat = static_cast<unsigned>(number_of(event, "repeat"));
    return out;
}

std::string overrides_text(const OverrideSet& overrides) {
    std::string out;
    for (const auto& [key, value] : overrides)
        out += (out.empty() ? "" : ", ") + key + " = " + write_json_line(value);
    return out.empty() ? "no override" : out;
}

} // namespace

std::string trial_key(const TrialRequest& request) {
    json::array variants;
    for (const auto& id : request.variants)
        variants.emplace_back(id);
    return write_json_line(json::array{to_json(request.overrides), std::move(variants), request.repeat});
}

TrialOracle::TrialOracle(TrialHost& host, Journal& journal, Options options)
    : host_(host), journal_(journal), options_(std::move(options)) {
    read_past();
}

void TrialOracle::read_past() {
    std::map<std::size_t, std::string> keys; // trial number → key; numbers start anew in each session
    for (const auto& event : journal_.past()) {
        const std::string kind = text_of(event, "event");
        const std::size_t number = number_of(event, "trial");
        if (kind == "trial-begin") {
            keys[number] = trial_key(request_of(event));
            Past& past = past_[keys[number]];
            past = Past{};
            past.boot = text_of(event, "boot");
            continue;
        }
        const auto key = keys.find(number);
        if (key == keys.end())
            continue;
        Past& past = past_[key->second];
        if (kind == "kernel-result")
            past.trial.outcomes[text_of(event, "kernel") + "/" + text_of(event, "variant")] =
                outcome_of(event);
        else if (kind == "trial-end") {
            const std::string status = text_of(event, "status");
            past.trial.answers = map_of(event, "answers");
            past.ended = status == "done" || status == "wedged";
            if (status == "wedged") {
                past.trial.status = Trial::Status::invalid;
                past.trial.reason = "it left the device unusable and is not repeated";
            } else if (!past.ended)
                past_.erase(key->second); // void or not run: worth another try
        }
    }
}

bool TrialOracle::write(const json::object& event) {
    if (const auto written = journal_.append(event); !written)
        journal_error_ = written.error().text();
    return journal_error_.empty();
}

Trial TrialOracle::stopped(std::string reason) const {
    Trial out;
    out.status = Trial::Status::stopped;
    out.reason = journal_error_.empty() ? std::move(reason) : journal_error_;
    return out;
}

const Variant* TrialOracle::find_variant(const std::string& id) const {
    const auto found = std::find_if(options_.variants.begin(), options_.variants.end(),
                                    [&](const Variant& variant) { return variant.id() == id; });
    return found == options_.variants.end() ? nullptr : &*found;
}

std::string TrialOracle::check_canary(std::size_t trial, std::string_view when) {
    if (options_.progress)
        options_.progress({trial, nullptr, "canary", false});
    if (!write({{"event", "canary-begin"}, {"trial", trial}, {"when", when}}))
        return journal_error_;
    const Canary canary = host_.canary();
    json::object event{{"event", "canary"}, {"trial", trial}, {"when", when}, {"good", canary.good}};
    if (!canary.good)
        event["detail"] = canary.detail;
    if (!write(event))
        return journal_error_;
    return canary.good ? std::string() : canary.detail;
}

std::string TrialOracle::run_variants(const TrialRequest& request, std::size_t number, Trial& trial) {
    for (const auto& id : request.variants) {
        const Variant* variant = find_variant(id);
        if (variant == nullptr)
            continue;
        if (options_.progress)
            options_.progress({number, &request, id, false});
        if (!write({{"event", "kernel-begin"},
                    {"trial", number},
                    {"kernel", variant->kernel},
                    {"variant", variant->name}}))
            return journal_error_;
        const RanVariant ran = host_.run(*variant);
        json::object event{{"event", "kernel-result"},
                           {"trial", number},
                           {"kernel", variant->kernel},
                           {"variant", variant->name},
                           {"outcome", name_of(ran.outcome.status)}};
        if (!ran.outcome.rung.empty())
            event["rung"] = ran.outcome.rung;
        if (!ran.outcome.detail.empty())
            event["detail"] = ran.outcome.detail;
        if (ran.outcome.inputs != 0)
            event["inputs"] = ran.outcome.inputs;
        if (!write(event))
            return journal_error_;
        trial.outcomes[id] = ran.outcome;
        if (ran.trouble == Trouble::unreapable)
            return ran.detail;
        if (ran.trouble == Trouble::inactive) {
            trial.status = Trial::Status::invalid;
            trial.reason = ran.detail;
            return {};
        }
    }
    return {};
}

Trial TrialOracle::make(const TrialRequest& request) {
    const std::size_t number = number_;
    const auto end = [&](std::string_view status, const Trial& trial) {
        json::object event{{"event", "trial-end"}, {"trial", number}, {"status", status}};
        if (!trial.reason.empty())
            event["reason"] = trial.reason;
        if (status == "done")
            event["answers"] = to_json(trial.answers);
        write(event);
        return journal_error_.empty() ? trial : stopped({});
    };
    json::array variants;
    for (const auto& id : request.variants)
        variants.emplace_back(id);
    json::object begin{{"event", "trial-begin"},
                       {"trial", number},
                       {"purpose", purpose_name(request.purpose)},
                       {"overrides", to_json(request.overrides)},
                       {"variants", std::move(variants)}};
    if (request.repeat != 0)
        begin["repeat"] = request.repeat;
    begin["boot"] = options_.boot;
    if (!write(begin))
        return stopped({});

    // A good canary after the trial before is as good as one of our own.
    if (!canary_fresh_ && !check_canary(number, "before").empty()) {
        const std::string again = check_canary(number, "before");
        if (!again.empty())
            return end("not-run", stopped("before trial " + std::to_string(number) +
                                          " the device does not run a plain kernel (" + again + "); " +
                                          std::string(kNextStep)));
    }
    canary_fresh_ = false;

    if (options_.progress)
        options_.progress({number, &request, "answers", false});
    OpenedTrial opened = host_.open(request.overrides, 1 + request.repeat);
    Trial trial;
    trial.answers = std::move(opened.answers);
    if (opened.trouble == Trouble::inactive) {
        canary_fresh_ = host_.close() == Trouble::none; // no kernel ran: the device is as it was
        trial.status = Trial::Status::invalid;
        trial.reason = opened.detail;
        return end("void", trial);
    }
    std::string fatal =
        opened.trouble == Trouble::unreapable ? opened.detail : run_variants(request, number, trial);
    const bool reaped = host_.close() != Trouble::unreapable;
    if (fatal.empty() && !reaped)
        fatal = "a child process of trial " + std::to_string(number) + " cannot be ended";
    if (!fatal.empty())
        return end("wedged", stopped(fatal + "; " + std::string(kNextStep)));

    if (const std::string bad = check_canary(number, "after"); !bad.empty()) {
        const std::string again = check_canary(number, "after");
        if (!again.empty())
            return end("wedged", stopped("since trial " + std::to_string(number) + " (" +
                                         overrides_text(request.overrides) +
                                         ") the device does not run a plain kernel any more (" + again +
                                         "); " + std::string(kNextStep)));
        trial.status = Trial::Status::invalid;
        trial.reason = "a plain kernel failed after it (" + bad + ") and passed when repeated";
    }
    canary_fresh_ = true;
    return end(trial.status == Trial::Status::done ? "done" : "void", trial);
}

void TrialOracle::note_answers(const TrialRequest& request, const Trial& trial) {
    if (trial.status != Trial::Status::done)
        return;
    if (!stock_) {
        if (request.overrides.empty())
            stock_ = trial.answers;
        return;
    }
    for (const auto& [key, value] : trial.answers) {
        const auto before = stock_->find(key);
        if (before == stock_->end() || before->second == value || request.overrides.count(key) != 0)
            continue;
        if (request.overrides.empty())
            volatile_.insert(key);
        else
            moved_[overrides_text(request.overrides)].insert(key);
    }
}

std::vector<std::string> TrialOracle::moved(const OverrideSet& overrides) const {
    std::vector<std::string> out;
    if (const auto found = moved_.find(overrides_text(overrides)); found != moved_.end())
        for (const auto& key : found->second)
            if (volatile_.count(key) == 0)
                out.push_back(key);
    return out;
}

Trial TrialOracle::run(const TrialRequest& request) {
    ++number_;
    if (!journal_error_.empty())
        return stopped({});
    Trial trial;
    if (const auto past = past_.find(trial_key(request)); past != past_.end()) {
        const bool lost = !past->second.ended && past->second.boot != options_.boot;
        if (past->second.ended || lost) {
            if (options_.progress)
                options_.progress({number_, &request, {}, true});
            trial = past->second.trial;
            if (lost) {
                trial = Trial{};
                trial.status = Trial::Status::invalid;
                trial.reason = "the machine was lost during it; it is not repeated";
            }
            note_answers(request, trial);
            return trial;
        }
    }
    trial = make(request);
    note_answers(request, trial);
    return trial;
}

} // namespace assay::ablate
