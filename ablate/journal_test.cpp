// The run record survives kills and refuses what it does not understand.
#include "ablate/journal.h"
#include "base/file.h"
#include "base/platform.h"
#include <csignal>
#include <doctest/doctest.h>
#include <sys/resource.h>

using namespace assay;
using assay::ablate::Journal;

namespace {

const json::object kFirst{{"schema", "assay.run/1"}, {"event", "identity"}};

std::string folder_file(const TemporaryFolder& folder) { return folder.path() + "/run.jsonl"; }

} // namespace

TEST_CASE("a record that was closed is read back whole and continued") {
    const auto folder = TemporaryFolder::make("journal").value();
    {
        auto journal = Journal::create(folder_file(folder)).value();
        CHECK(journal.append(kFirst).has_value());
        CHECK(journal.append({{"event", "plan"}, {"n", 1}}).has_value());
    }
    auto journal = Journal::resume(folder_file(folder)).value();
    REQUIRE(journal.past().size() == 2);
    CHECK(journal.past()[1].at("n") == json::value(1));
    CHECK(journal.append({{"event", "trial-begin"}}).has_value());
    const std::string text = read_file(folder_file(folder)).value();
    CHECK(text == "{\"schema\":\"assay.run/1\",\"event\":\"identity\"}\n{\"event\":\"plan\",\"n\":1}\n"
                  "{\"event\":\"trial-begin\"}\n");
    CHECK(journal.digest() == "sha256:" + sha256_hex(text));
}

TEST_CASE("a line that a killed writer left unfinished is cut off") {
    const auto folder = TemporaryFolder::make("journal").value();
    const std::string whole = write_json_line(kFirst) + "\n";
    const std::string next = "{\"event\":\"plan\"}\n";
    for (std::size_t cut = 0; cut < next.size(); ++cut) {
        REQUIRE(write_file(folder_file(folder), whole + next.substr(0, cut)).has_value());
        auto journal = Journal::resume(folder_file(folder)).value();
        CHECK(journal.past().size() == 1);
        CHECK(read_file(folder_file(folder)).value() == whole);
    }
}

TEST_CASE("a record is never overwritten, and resuming nothing is an error") {
    const auto folder = TemporaryFolder::make("journal").value();
    CHECK(Journal::resume(folder_file(folder)).error().kind == ErrorKind::bad_input);
    CHECK(Journal::create(folder_file(folder)).has_value());
    CHECK(Journal::create(folder_file(folder)).error().kind == ErrorKind::bad_input);
}

TEST_CASE("two writers of one record are refused") {
    const auto folder = TemporaryFolder::make("journal").value();
    auto first = Journal::create(folder_file(folder)).value();
    REQUIRE(first.append(kFirst).has_value());
    CHECK(Journal::resume(folder_file(folder)).error().kind == ErrorKind::environment);
}

TEST_CASE("damage inside a record and a foreign file are errors that name the line") {
    const auto folder = TemporaryFolder::make("journal").value();
    const auto resume_text = [&](const std::string& text) {
        REQUIRE(write_file(folder_file(folder), text).has_value());
        return Journal::resume(folder_file(folder));
    };
    const std::string first = write_json_line(kFirst) + "\n";
    CHECK(resume_text(first + "{oops\n{}\n").error().where.find(":2") != std::string::npos);
    CHECK(resume_text(first + "[]\n").has_error());
    CHECK(resume_text("{\"schema\":\"assay.table/1\"}\n").has_error());
    CHECK(resume_text("{}\n").has_error());
}

TEST_CASE("when the file cannot grow, the record ends with its last whole line") {
    const auto folder = TemporaryFolder::make("journal").value();
    auto journal = Journal::create(folder_file(folder)).value();
    REQUIRE(journal.append(kFirst).has_value());
    const std::string before = read_file(folder_file(folder)).value();

    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
    const rlimit tight{before.size() + 10, limit.rlim_max};
    const auto previous = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    const auto written = journal.append({{"event", "trial-begin"}, {"trial", 1}});
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    std::signal(SIGXFSZ, previous);

    REQUIRE(written.has_error());
    CHECK(written.error().kind == ErrorKind::environment);
    CHECK(read_file(folder_file(folder)).value() == before);
    CHECK(journal.append({{"event", "plan"}}).has_value());
}
