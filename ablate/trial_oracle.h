// Makes the search's trials: journal, canaries, void results, resumption.
#pragma once
#include "ablate/journal.h"
#include "ablate/trial_host.h"
#include <functional>
#include <vector>

namespace assay::ablate {

/// Told as trials go on; for progress on a terminal.
struct TrialProgress {
    std::size_t trial = 0; ///< number of this trial, from 1
    const TrialRequest* request = nullptr;
    std::string_view step; ///< "canary", "answers" or the variant's id
    bool replayed = false; ///< the journal has it: nothing is run
};

/// The oracle that really makes trials.
///
///  - Every trial stands between two good canaries; the one after a trial serves the next one too. When the
///  one
///    after it fails, the trial is void and no further trial is possible.
///  - Each step is in the journal before it begins.
///  - A trial that a resumed journal has with the same overrides and variants is not repeated. One that began
///  in
///    an earlier boot and never ended, or that wedged the device, is not repeated either: it says nothing.
class TrialOracle : public Oracle {
  public:
    struct Options {
        std::vector<Variant> variants;
        std::string boot; ///< this boot session
        std::function<void(const TrialProgress&)> progress;
    };

    TrialOracle(TrialHost& host, Journal& journal, Options options);

    Trial run(const TrialRequest& request) override;

    /// Keys of answers that a trial of these overrides changed without overriding them. Keys that also differ
    /// between two stock trials are left out.
    std::vector<std::string> moved(const OverrideSet& overrides) const;

  private:
    struct Past {
        bool ended = false;
        std::string boot;
        Trial trial;
    };

    void read_past();
    Trial make(const TrialRequest& request);
    /// The canary before (`trial` 0: none yet) or after a trial; an empty text when it is good.
    std::string check_canary(std::size_t trial, std::string_view when);
    std::string run_variants(const TrialRequest& request, std::size_t number, Trial& trial);
    const Variant* find_variant(const std::string& id) const;
    bool write(const json::object& event);
    Trial stopped(std::string reason) const;
    void note_answers(const TrialRequest& request, const Trial& trial);

    TrialHost& host_;
    Journal& journal_;
    Options options_;
    std::map<std::string, Past> past_; ///< by trial_key()
    std::string journal_error_;
    std::size_t number_ = 0;
    bool canary_fresh_ = false;
    std::optional<AnswerSet> stock_;
    std::set<std::string> volatile_;                     ///< keys that differ between stock trials
    std::map<std::string, std::set<std::string>> moved_; ///< by overrides_text()
};

/// What makes two trials the same trial.
std::string trial_key(const TrialRequest& request);

} // namespace assay::ablate
