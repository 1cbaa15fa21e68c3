#include <locdyn/io/scene/scene.hpp>

#include <locdyn/io/scene/forces.hpp>
#include <locdyn/io/scene/joints.hpp>

namespace locdyn {

Scene::Scene() = default;
Scene::Scene(const Scene&) = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(const Scene&) = default;
Scene& Scene::operator=(Scene&&) noexcept = default;
Scene::~Scene() = default;

}  // namespace locdyn
