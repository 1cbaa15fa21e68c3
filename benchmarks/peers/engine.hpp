#pragma once
// What the comparison asks of an engine.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene.hpp"

namespace locdyn::peers {

struct BodyState {
  Eigen::Vector3d position;  ///< of the mass centre
  Orientation orientation;
  Eigen::Vector3d velocity, angular_velocity;  ///< in space
};

/// A contact of the last step, in space, where the engine took it and with the force that the engine put in.
struct EngineContact {
  int master, slave;  ///< places in Scene::bodies
  Eigen::Vector3d point, normal;
  double gap;
  Eigen::Vector3d force;                      ///< mean over the step, on the slave [N]
  std::optional<Eigen::Vector3d> shift = {};  ///< σ of the engine's own law, where it has one, in space [m/s]
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// Engine and settings in a few words.
  [[nodiscard]] virtual const std::string& name() const = 0;
  virtual void step() = 0;
  [[nodiscard]] virtual BodyState state(int body) const = 0;
  [[nodiscard]] virtual std::vector<EngineContact> contacts() const = 0;
  /// Are contacts taken at q + h/2 u (else at q)?
  [[nodiscard]] virtual bool contacts_at_half_step() const { return false; }
  /// One line of its own on the last step, or nothing.
  [[nodiscard]] virtual std::string remark() const { return {}; }
};

using EnginePtr = std::unique_ptr<Engine>;
using EngineMaker = std::function<EnginePtr(const Scene&)>;

// Sleeping is off in all of them: it would hide creep, and time.
struct BulletSettings {
  int iterations = 10;          ///< Bullet's default
  bool two_directions = false;  ///< of friction at a contact; Bullet's default is one, along the slip
};
[[nodiscard]] EnginePtr make_bullet(const Scene& scene, const BulletSettings& settings);

struct MujocoSettings {
  std::string solver = "Newton";   ///< MuJoCo's default
  std::string cone = "pyramidal";  ///< MuJoCo's default
  int iterations = 100;            ///< MuJoCo's default
  /// Contacts as stiff as it takes them (time constant 2 h, impedance 0.9999), friction ten times as stiff, solved to
  /// 1e-12; else its defaults.
  bool hard = false;
  int noslip = 0;  ///< iterations of MuJoCo's pass after the solver that takes slip back
};
[[nodiscard]] EnginePtr make_mujoco(const Scene& scene, const MujocoSettings& settings);

struct LocdynSettings {
  double tolerance = 1e-8;  ///< locdyn's default
  std::string solver = "auto";
  std::optional<double> stiffness = {};  ///< of a contact [N/m], with a damping of 1e-3 s times it; absent: rigid
};
[[nodiscard]] EnginePtr make_locdyn(const Scene& scene, const LocdynSettings& settings);

}  // namespace locdyn::peers
