#pragma once
// The half-step scheme on bodies and given contacts, as the equations have it and with nothing else:
//
//   q* = q ⊕ h/2 u;  contacts at q*;  u_free;  U = B + W R, solved;  u⁺ = u_free + A⁻¹ h Σ Hᵀ R;  q⁺ = q* ⊕ h/2 u⁺

#include <functional>
#include <locdyn/contact/local_frame.hpp>
#include <locdyn/ldy/assembly/assembly.hpp>
#include <locdyn/ldy/assembly/constraints/contact.hpp>
#include <locdyn/solver/auto.hpp>
#include <optional>
#include <vector>

namespace locdyn::test {

class ContactLoop {
 public:
  /// Where two bodies touch or nearly touch at the configuration that holds now.
  using Source = std::function<ContactPoint(const BodySet&)>;

  ContactLoop(double step, const Eigen::Vector3d& gravity) : h(step), g(gravity) { options.stop.tolerance = 1e-13; }

  void touch(Source source, ContactRows rows = ContactRows::space) {
    sources_.push_back({std::move(source), rows, {}});
  }

  /// A point X of a body (body coordinates) over the plane through the origin of obstacle 0.
  void touch_plane(BodyId body, const Eigen::Vector3d& X, const Eigen::Matrix3d& frame, const SurfaceMaterial& material,
                   ContactRows rows = ContactRows::space) {
    touch(
        [=](const BodySet& now) {
          const Eigen::Vector3d x = now[body].to_space(X);
          return ContactPoint{
              .slave = body, .point = x, .frame = frame, .gap = frame.col(2).dot(x), .material = material};
        },
        rows);
  }

  /// One step. The contacts that act are inserted or moved, the others removed; reactions are warm starts.
  SolveReport step() {
    bodies.advance(part_before(Scheme::half_step) * h);
    for (Touch& touch : sources_) {
      const ContactPoint point = touch.source(bodies);
      if (!Contact::acts(point)) {
        if (touch.id) assembly.remove(*touch.id);
        touch.id.reset();
      } else if (touch.id) {
        dynamic_cast<Contact&>(assembly.constraint(*touch.id)).set_point(point, bodies);
      } else {
        touch.id = assembly.emplace<Contact>(point, touch.rows);
      }
    }
    bodies.predict(h, g);
    assembly.update(h);
    SolveReport report = solve_auto(ldy, options);
    assembly.apply_reactions();
    bodies.advance(part_after(Scheme::half_step) * h);
    return report;
  }

  /// R (t1, t2, n) [N] of the i-th source; zero where it does not act.
  [[nodiscard]] Eigen::Vector3d reaction(std::size_t i) const {
    return sources_[i].id ? ldy.row(*sources_[i].id).R : Eigen::Vector3d::Zero().eval();
  }
  [[nodiscard]] bool acts(std::size_t i) const { return sources_[i].id.has_value(); }

  double h;           // [s]
  Eigen::Vector3d g;  // [m/s²]
  AutoOptions options;
  BodySet bodies;
  LocalDynamics ldy;
  Assembly assembly{bodies, ldy};

 private:
  struct Touch {
    Source source;
    ContactRows rows;
    std::optional<ConstraintId> id;
  };
  std::vector<Touch> sources_;
};

}  // namespace locdyn::test
