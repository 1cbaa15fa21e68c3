// Pages for a browser, where the viewer is built.

#include "page.hpp"

#include <stdexcept>
#ifdef LOCDYN_WITH_PAGE
#include <locdyn/io/page/write_page.hpp>
#endif

namespace locdyn::python {
#ifdef LOCDYN_WITH_PAGE
namespace {

PageOptions page_options(const std::string& title, std::size_t contacts) {
  PageOptions options;
  options.title = title;
  options.contacts = contacts;
  return options;
}

}  // namespace

void write_problem_page(LocalDynamics& ldy, const std::string& note, const std::string& title,
                        const std::filesystem::path& out) {
  PageOptions options;
  options.title = title;
  write_graph_page(ldy, note, out, options);
}

void bind_page(py::module_& module) {
  using namespace py::literals;
  module.def(
      "_view_run",
      [](const std::filesystem::path& run, const std::filesystem::path& out, const std::string& title,
         std::size_t contacts) { write_run_page(run, out, page_options(title, contacts)); },
      "run"_a, "out"_a, "title"_a, "contacts"_a);
  module.def("_is_trajectory", &is_trajectory, "path"_a);
  module.attr("_with_pages") = true;
}
#else
namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error("view: expected a build with the viewer (LOCDYN_WITH_VIEWER), found one without");
}

}  // namespace

void write_problem_page(LocalDynamics&, const std::string&, const std::string&, const std::filesystem::path&) {
  refuse();
}

void bind_page(py::module_& module) {
  using namespace py::literals;
  module.def(
      "_view_run",
      [](const std::filesystem::path&, const std::filesystem::path&, const std::string&, std::size_t) { refuse(); },
      "run"_a, "out"_a, "title"_a, "contacts"_a);
  module.def(
      "_is_trajectory", [](const std::filesystem::path&) { return false; }, py::arg("path"));
  module.attr("_with_pages") = false;
}
#endif

}  // namespace locdyn::python
