#include <locdyn/mechanism/smooth/motion_error.hpp>

#include <utility>

#include <locdyn/bodies/input_check.hpp>

namespace locdyn {
using namespace detail;

MotionError::MotionError(Reason reason, double time, const std::string& message, std::string at_fault)
    : std::runtime_error("motion at t = " + spelled(time) + " s: " + message),
      reason_(reason),
      time_(time),
      at_fault_(std::move(at_fault)) {}

}  // namespace locdyn
