#include <locdyn/io/page/page_file.hpp>

#include <stdexcept>

#include <locdyn/io/page/packed_columns.hpp>
#include <locdyn/ldy/replace_file.hpp>

// The built page is part of the library: whoever uses it needs neither node nor a path.
asm(".section .rodata\n"
    ".global locdyn_page_begin, locdyn_page_end\n"
    ".hidden locdyn_page_begin\n"
    ".hidden locdyn_page_end\n"
    "locdyn_page_begin:\n"
    ".incbin \"" LOCDYN_PAGE_TEMPLATE
    "\"\n"
    "locdyn_page_end:\n"
    ".byte 0\n"
    ".text\n");
extern "C" {
extern const char locdyn_page_begin[], locdyn_page_end[];
}

namespace locdyn::detail {
namespace {

constexpr std::string_view kPlace = "<!-- data -->";

// A text of JSON that may stand in a script element: no "</script>", no "<!--".
std::string safe(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string_view page_template() noexcept {
  return {locdyn_page_begin, static_cast<std::size_t>(locdyn_page_end - locdyn_page_begin)};
}

void write_page_file(const std::filesystem::path& out, const PageData& data) {
  const std::string_view page = page_template();
  const std::size_t place = page.find(kPlace);
  if (place == std::string_view::npos) throw std::logic_error("page: the template has no place for data");
  std::string text(page.substr(0, place));
  text += "<script type=\"application/json\" id=\"head\">";
  text += safe(data.head.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  text += "</script>\n";
  for (std::size_t k = 0; k < data.chunks.size(); ++k) {
    text += "<script type=\"text/plain\" id=\"chunk-" + std::to_string(k) + "\">";
    text += base64(data.chunks[k]);
    text += "</script>\n";
  }
  text += page.substr(place + kPlace.size());
  replace_file(out, text);
}

}  // namespace locdyn::detail
