// The main program of every test executable: doctest's own, but a run in which no case was found fails. Else a name that
// the list of tests has garbled (a ';' splits it) would count as passed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>

namespace {

unsigned cases = 0;

struct CountCases : doctest::IReporter {
  explicit CountCases(const doctest::ContextOptions& /*options*/) {}
  void report_query(const doctest::QueryData& /*query*/) override { ++cases; }  // --list-test-cases and the like
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override { cases += stats.numTestCasesPassingFilters; }
  void test_case_start(const doctest::TestCaseData& /*data*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*data*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*signature*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*data*/) override {}
};
REGISTER_LISTENER("count_cases", 1, CountCases);

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int status = context.run();
  if (cases > 0 || status != 0) return status;
  std::cerr << "no test case of that name\n";
  return 1;
}
