// The other one.

namespace locdyn {
namespace {
struct Rows {};  // this file's own
}  // namespace
namespace detail {

struct Rows {
  double gap = 0;
};

}  // namespace detail
}  // namespace locdyn
