// Trials on a recording fake: what is written before what is done, what is void, what is never repeated.
#include "ablate/trial_oracle.h"
#include "base/file.h"
#include <doctest/doctest.h>

using namespace assay;
using namespace assay::ablate;

namespace {

const std::string kKey = "supportsFamily(Apple7)";

class FakeHost : public TrialHost {
  public:
    Canary canary() override {
        calls.push_back("canary");
        ++canaries;
        Canary out;
        out.good = bad_canaries.count(canaries) == 0;
        out.detail = out.good ? "" : "zeros";
        return out;
    }
    OpenedTrial open(const OverrideSet& overrides, std::uint64_t seed) override {
        calls.push_back("open");
        seeds.push_back(seed);
        OpenedTrial out;
        if (inactive && !overrides.empty()) {
            out.trouble = Trouble::inactive;
            out.detail = "the shim is not active: unknown profile";
            return out;
        }
        out.answers = {{kKey, false}, {"tier", 1}, {"allocated", ++opened}};
        for (const auto& [key, value] : overrides)
            out.answers[key] = value;
        if (!overrides.empty())
            out.answers["tier"] = 2;
        return out;
    }
    RanVariant run(const Variant& variant) override {
        calls.push_back("run " + variant.id());
        if (on_run)
            on_run();
        RanVariant out;
        out.outcome.status = Outcome::Status::passed;
        if (variant.name == crashing) {
            out.outcome = {Outcome::Status::failed, "runs", "signal 6", 0};
        }
        return out;
    }
    Trouble close() override {
        calls.push_back("close");
        return unreapable ? Trouble::unreapable : Trouble::none;
    }

    std::vector<std::string> calls;
    std::vector<std::uint64_t> seeds;
    std::set<int> bad_canaries;
    std::string crashing;
    std::function<void()> on_run;
    bool inactive = false;
    bool unreapable = false;
    int canaries = 0;
    int opened = 0;
};

const std::vector<Variant> kVariants = {{"matmul", "naive", {}},
                                        {"matmul", "simdgroup", {"simdgroup_matrix"}}};
const TrialRequest kStock{Purpose::stock, {}, {"matmul/naive"}, 0};
const TrialRequest kRaised{Purpose::single, {{kKey, true}}, {"matmul/naive", "matmul/simdgroup"}, 0};

/// A folder with a record that has its first line.
struct Record {
    Record() { CHECK(Journal::create(path()).value().append({{"schema", "assay.run/1"}}).has_value()); }
    std::string path() const { return folder.path() + "/run.jsonl"; }
    Journal open() const { return Journal::resume(path()).value(); }
    std::string text() const { return read_file(path()).value(); }
    TemporaryFolder folder = TemporaryFolder::make("trials").value();
};

TrialOracle::Options options(std::string boot = "boot-1") { return {kVariants, std::move(boot), {}}; }

} // namespace

TEST_CASE("a trial stands between two canaries, and the one after it serves the next") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    TrialOracle oracle(host, journal, options());
    CHECK(oracle.run(kStock).status == Trial::Status::done);
    CHECK(oracle.run(kRaised).status == Trial::Status::done);
    CHECK(host.calls == std::vector<std::string>{"canary", "open", "run matmul/naive", "close", "canary",
                                                 "open", "run matmul/naive", "run matmul/simdgroup", "close",
                                                 "canary"});
}

TEST_CASE("each step is in the record before it begins") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    TrialOracle oracle(host, journal, options());
    host.on_run = [&] {
        const std::string text = record.text();
        const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
        CHECK(last.find("kernel-begin") != std::string::npos);
        CHECK(text.find("trial-begin") != std::string::npos);
    };
    CHECK(oracle.run(kStock).status == Trial::Status::done);
    CHECK(record.text().find("\"status\":\"done\"") != std::string::npos);
}

TEST_CASE("a variant that ends its process costs itself") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    host.crashing = "naive";
    TrialOracle oracle(host, journal, options());
    const Trial trial = oracle.run(kRaised);
    CHECK(trial.status == Trial::Status::done);
    CHECK(trial.outcomes.at("matmul/naive").status == Outcome::Status::failed);
    CHECK(trial.outcomes.at("matmul/simdgroup").status == Outcome::Status::passed);
    CHECK(record.text().find("\"detail\":\"signal 6\"") != std::string::npos);
}

TEST_CASE("a trial without active overrides is void and runs no kernel") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    host.inactive = true;
    TrialOracle oracle(host, journal, options());
    const Trial trial = oracle.run(kRaised);
    CHECK(trial.status == Trial::Status::invalid);
    CHECK(trial.reason == "the shim is not active: unknown profile");
    CHECK(host.calls == std::vector<std::string>{"canary", "open", "close"});
}

TEST_CASE("when the canary stays bad after a trial, that trial is void and no other follows") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    host.bad_canaries = {3, 4};
    TrialOracle oracle(host, journal, options());
    CHECK(oracle.run(kStock).status == Trial::Status::done);
    const Trial trial = oracle.run(kRaised);
    CHECK(trial.status == Trial::Status::stopped);
    CHECK(trial.reason.find("since trial 2 (supportsFamily(Apple7) = true)") != std::string::npos);
    CHECK(trial.reason.find("--resume") != std::string::npos);
}

TEST_CASE("when the canary recovers, only the trial before it is void") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    host.bad_canaries = {2};
    TrialOracle oracle(host, journal, options());
    CHECK(oracle.run(kStock).status == Trial::Status::invalid);
    CHECK(oracle.run(kRaised).status == Trial::Status::done);
}

TEST_CASE("a device that is wedged from the start stops the first trial before its kernels") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    host.bad_canaries = {1, 2};
    TrialOracle oracle(host, journal, options());
    CHECK(oracle.run(kStock).status == Trial::Status::stopped);
    CHECK(host.calls == std::vector<std::string>{"canary", "canary"});
}

TEST_CASE("a child that cannot be ended stops the run") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    host.unreapable = true;
    TrialOracle oracle(host, journal, options());
    CHECK(oracle.run(kStock).status == Trial::Status::stopped);
}

TEST_CASE("a resumed run repeats no trial that ended") {
    const Record record;
    FakeHost host;
    Trial first;
    {
        Journal journal = record.open();
        first = TrialOracle(host, journal, options()).run(kRaised);
    }
    host.calls.clear();
    Journal journal = record.open();
    TrialOracle oracle(host, journal, options("boot-2"));
    const Trial again = oracle.run(kRaised);
    CHECK(host.calls.empty());
    CHECK(again.answers == first.answers);
    CHECK(again.outcomes.size() == 2);
    CHECK(again.outcomes.at("matmul/simdgroup").status == Outcome::Status::passed);
    // Other overrides, other variants and other repeats are other trials.
    CHECK(oracle.run(kStock).status == Trial::Status::done);
    CHECK(oracle.run({Purpose::confirm, kRaised.overrides, kRaised.variants, 1}).status ==
          Trial::Status::done);
    CHECK(host.opened == 3);
    CHECK(host.seeds == std::vector<std::uint64_t>{1, 1, 2}); // a confirmation has fresh inputs
}

TEST_CASE("a trial that was cut off is repeated in the same boot, and lost in a later one") {
    const Record record;
    {
        Journal journal = record.open();
        FakeHost host;
        TrialOracle oracle(host, journal, options());
        (void)oracle.run(kRaised);
    }
    std::string text = record.text();
    text.resize(text.find("{\"event\":\"canary-begin\",\"trial\":1,\"when\":\"after\""));
    REQUIRE(write_file(record.path(), text).has_value());
    {
        Journal journal = record.open();
        FakeHost host;
        TrialOracle oracle(host, journal, options("boot-2"));
        const Trial trial = oracle.run(kRaised);
        CHECK(trial.status == Trial::Status::invalid);
        CHECK(trial.reason == "the machine was lost during it; it is not repeated");
        CHECK(host.calls.empty());
    }
    Journal journal = record.open();
    FakeHost host;
    TrialOracle oracle(host, journal, options("boot-1"));
    CHECK(oracle.run(kRaised).status == Trial::Status::done);
    CHECK_FALSE(host.calls.empty());
}

TEST_CASE("a void trial is tried again by a resumed run, one that wedged the device is not") {
    const Record record;
    {
        Journal journal = record.open();
        FakeHost host;
        host.inactive = true;
        host.bad_canaries = {2, 3};
        TrialOracle oracle(host, journal, options());
        CHECK(oracle.run(kRaised).status == Trial::Status::invalid);
        CHECK(oracle.run(kStock).status == Trial::Status::stopped);
    }
    Journal journal = record.open();
    FakeHost host;
    TrialOracle oracle(host, journal, options());
    CHECK(oracle.run(kRaised).status == Trial::Status::done);
    const Trial wedged = oracle.run(kStock);
    CHECK(wedged.status == Trial::Status::invalid);
    CHECK(wedged.reason == "it left the device unusable and is not repeated");
}

TEST_CASE("answers that moved without being overridden are told apart from those that always move") {
    const Record record;
    Journal journal = record.open();
    FakeHost host;
    TrialOracle oracle(host, journal, options());
    (void)oracle.run(kStock);
    (void)oracle.run({Purpose::forced, {}, {"matmul/naive", "matmul/simdgroup"}, 0});
    (void)oracle.run(kRaised);
    CHECK(oracle.moved(kRaised.overrides) == std::vector<std::string>{"tier"});
    CHECK(oracle.moved({}).empty());
}
