// MuJoCo, a model written as MJCF text. Its contacts are soft by design: at rest a contact penetrates.

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "engine.hpp"

namespace locdyn::peers {
namespace {

constexpr double kContactsABody = 12;  // room for so many

// Rows of the constraint Jacobian there is room for. MuJoCo 2.2 sets aside dense arrays whose size in bytes is an int:
// rows² (12 bytes) and rows by velocities (24 bytes), beside small ones.
long room_for_rows(double bodies, int rows_a_contact) {
  const double b = 24 * 6 * bodies, most = 2.1e9;
  const double limit = (-b + std::sqrt(b * b + 4 * 12 * most)) / (2 * 12);
  return static_cast<long>(std::min(limit, rows_a_contact * kContactsABody * bodies));
}

std::ostream& operator<<(std::ostream& out, const Eigen::Vector3d& v) {
  return out << v.x() << ' ' << v.y() << ' ' << v.z();
}

void write_geom(std::ostream& out, const Shape& shape, std::size_t place, const std::string& more) {
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    out << "<geom type='sphere' size='" << sphere->radius << "'" << more;
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    out << "<geom type='box' size='" << Eigen::Vector3d(0.5 * box->size) << "'" << more;
  } else if (std::holds_alternative<ConvexHull>(shape)) {
    out << "<geom type='mesh' mesh='m" << place << "'" << more;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    out << "<geom type='capsule' size='" << capsule->radius << ' ' << 0.5 * capsule->length << "'" << more;
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    out << "<geom type='cylinder' size='" << cylinder->radius << ' ' << 0.5 * cylinder->height << "'" << more;
  } else {
    throw std::invalid_argument("shape: expected sphere, box, capsule, cylinder or hull");
  }
}

// MuJoCo takes the larger friction of a pair, or that of the body of higher priority: enough for one body, of those
// with a friction of their own, among others that agree.
std::string friction_of(const Scene& scene, std::size_t i) {
  if (scene.friction_of(i) == scene.friction) return "/>";
  std::ostringstream out;
  out << " priority='1' friction='" << std::sqrt(scene.friction_of(i) * scene.friction) << " 0 0'/>";
  return out.str();
}

std::string mjcf(const Scene& scene, const MujocoSettings& settings) {
  std::ostringstream out;
  out.precision(17);
  const auto bodies = static_cast<double>(scene.bodies.size());
  const long rows = room_for_rows(bodies, settings.cone == "pyramidal" ? 4 : 3);
  out << "<mujoco><compiler angle='radian' boundmass='0' boundinertia='0'/><option timestep='" << scene.h
      << "' gravity='" << scene.gravity << "' solver='" << settings.solver << "' cone='" << settings.cone
      << "' iterations='" << settings.iterations << "' noslip_iterations='" << settings.noslip << "'"
      << (settings.hard ? " tolerance='1e-12' impratio='10'" : "") << "/><size nconmax='" << kContactsABody * bodies
      << "' njmax='" << rows << "'/><default><geom friction='" << scene.friction << " 0 0'";
  if (settings.hard) out << " solref='" << 2 * scene.h << " 1' solimp='0.9999 0.9999 0.001'";
  out << "/></default><asset>";
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (const auto* hull = std::get_if<ConvexHull>(&scene.bodies[i].shape)) {
      out << "<mesh name='m" << i << "' vertex='";
      for (const Eigen::Vector3d& point : hull->points) out << point << ' ';
      out << "'/>";
    }
  }
  out << "</asset><worldbody>";
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const SceneBody& body = scene.bodies[i];
    const Orientation& q = body.orientation;
    out << "<body pos='" << body.position << "' quat='" << q.w() << ' ' << q.x() << ' ' << q.y() << ' ' << q.z()
        << "'>";
    if (!body.fixed) {
      if (body.slides) {
        out << "<joint type='slide' axis='" << *body.slides << "'/>";
      } else {
        out << "<freejoint/>";
      }
      out << "<inertial pos='0 0 0' mass='" << body.mass.mass << "' diaginertia='"
          << Eigen::Vector3d(body.mass.inertia.diagonal()) << "'/>";
    }
    write_geom(out, body.shape, i, friction_of(scene, i));
    out << "</body>";
  }
  out << "</worldbody></mujoco>";
  return out.str();
}

mjModel* compile(const std::string& text) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const char* file = "scene.xml";
  mj_makeEmptyFileVFS(files.get(), file, static_cast<int>(text.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), file)], text.data(), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML(file, files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo: ") + error);
  return model;
}

Eigen::Vector3d from(const mjtNum* v) {
  return {v[0], v[1], v[2]};
}

void write(const Eigen::Vector3d& v, mjtNum* to) {
  std::copy(v.data(), v.data() + 3, to);
}

class MujocoEngine final : public Engine {
 public:
  MujocoEngine(const Scene& scene, const MujocoSettings& settings)
      : name_("MuJoCo, " + settings.solver + ", " + settings.cone + ", " + std::to_string(settings.iterations) +
              (settings.hard ? ", hard" : "") + (settings.noslip > 0 ? ", noslip" : "")),
        model_(compile(mjcf(scene, settings)), mj_deleteModel),
        data_(mj_makeData(model_.get()), mj_deleteData),
        h_(scene.h),
        forces_(scene.forces) {
    if (!data_) throw std::runtime_error("MuJoCo: no memory for the data");
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) set_velocity(static_cast<int>(i), scene.bodies[i]);
  }

  const std::string& name() const override { return name_; }

  void step() override {
    for (const AppliedForce& applied : forces_) apply(applied);
    time_ += h_;
    mj_step(model_.get(), data_.get());
    for (const auto warning : {mjWARN_CONTACTFULL, mjWARN_CNSTRFULL, mjWARN_BADQPOS, mjWARN_BADQACC}) {
      if (data_->warning[warning].number > 0) {
        throw std::runtime_error(std::string("MuJoCo: ") + mju_warningText(warning, data_->warning[warning].lastinfo));
      }
    }
  }

  // Body 0 is the world; a free joint has 7 coordinates (position, quaternion) and 6 velocities (linear in space,
  // angular in the body).
  BodyState state(int i) const override {
    const int body = i + 1, joint = model_->body_jntadr[body];
    if (joint < 0) {
      return {from(model_->body_pos + 3 * body), Orientation::Identity(), Eigen::Vector3d::Zero(),
              Eigen::Vector3d::Zero()};
    }
    const mjtNum* q = data_->qpos + model_->jnt_qposadr[joint];
    const mjtNum* u = data_->qvel + model_->jnt_dofadr[joint];
    if (model_->jnt_type[joint] == mjJNT_SLIDE) {
      const Eigen::Vector3d along = from(model_->jnt_axis + 3 * joint);
      return {from(model_->body_pos + 3 * body) + *q * along, Orientation::Identity(), *u * along,
              Eigen::Vector3d::Zero()};
    }
    const Orientation orientation = Orientation(q[3], q[4], q[5], q[6]).normalized();
    return {from(q), orientation, from(u), orientation * from(u + 3)};
  }

  std::vector<EngineContact> contacts() const override {
    std::vector<EngineContact> result;
    for (int c = 0; c < data_->ncon; ++c) {
      const mjContact& contact = data_->contact[c];
      mjtNum force[6];
      mj_contactForce(model_.get(), data_.get(), c, force);
      const mjtNum* frame = contact.frame;  // rows n, t1, t2; n from the first body to the second
      result.push_back({.master = model_->geom_bodyid[contact.geom1] - 1,
                        .slave = model_->geom_bodyid[contact.geom2] - 1,
                        .point = from(contact.pos),
                        .normal = from(frame),
                        .gap = contact.dist,
                        .force = force[0] * from(frame) + force[1] * from(frame + 3) + force[2] * from(frame + 6)});
    }
    return result;
  }

  std::string remark() const override {
    return std::to_string(data_->solver_iter) + " iterations, " + std::to_string(data_->nefc) + " rows";
  }

 private:
  void set_velocity(int i, const SceneBody& body) {
    if (body.fixed || body.slides) return;
    write(body.velocity, data_->qvel + model_->jnt_dofadr[model_->body_jntadr[i + 1]]);
    write(body.orientation.conjugate() * body.angular_velocity,
          data_->qvel + model_->jnt_dofadr[model_->body_jntadr[i + 1]] + 3);
  }
  // A force and a torque about the mass centre, in space.
  void apply(const AppliedForce& applied) {
    const Eigen::Vector3d force = applied.force(time_, h_), arm = state(applied.body).orientation * applied.point;
    mjtNum* wrench = data_->xfrc_applied + 6 * (applied.body + 1);
    write(force, wrench);
    write(applied.torque(time_, h_) + arm.cross(force), wrench + 3);
  }

  std::string name_;
  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
  double h_, time_ = 0;
  std::vector<AppliedForce> forces_;
};

}  // namespace

EnginePtr make_mujoco(const Scene& scene, const MujocoSettings& settings) {
  mju_user_warning = [](const char*) {};  // `step` tells of them; else MuJoCo writes a file where it stands
  if (!scene.carriers.empty())
    throw std::invalid_argument("MuJoCo: expected obstacles that stay, found one that moves");
  return std::make_unique<MujocoEngine>(scene, settings);
}

}  // namespace locdyn::peers
