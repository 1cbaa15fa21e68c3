// Bodies as instanced meshes: one draw call for all that share a shape.

import {
  Box3, BufferAttribute, BufferGeometry, Color, DoubleSide, FrontSide, InstancedMesh, Intersection, Matrix4, MeshStandardMaterial,
  Quaternion, Raycaster, Scene, SphereGeometry, Vector3,
} from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

import { bodyColour, islandColour, kAsleep, kAwake, kNoValue, kObstacle, kPicked, kPlane, residualShare, scaleColour } from "./colours";
import { floatsOf, indicesOf } from "./columns";
import { islandsOf } from "./islands";
import type { Contacts, Placement, RunData } from "./run_data";

export const kBodyColourings = ["body", "speed", "island", "sleeping", "residual"] as const;
export type BodyColouring = (typeof kBodyColourings)[number];

const kCrease = 0.7;  // [rad]: sharper edges are drawn as edges
const kDot = 0.12;    // edge of what stands for a body without a shape, over the size of the scene

interface Family { mesh: InstancedMesh; bodies: number[] }

export class BodiesView {
  colouring: BodyColouring = "body";
  picked = -1;
  faint = false;  // bodies are seen through, for what lies inside
  private readonly families: Family[] = [];
  private readonly matrix = new Matrix4();
  private readonly colour = new Color();

  constructor(private readonly run: RunData, scene: Scene, extent: number) {
    const { mesh, meshes } = run.head;
    for (let shape = -1; shape < meshes.length; ++shape) {
      for (const obstacles of [false, true]) {
        const bodies = mesh.flatMap((m, body) => (m === shape && run.isObstacle(body) === obstacles ? [body] : []));
        if (bodies.length === 0 || (shape < 0 && obstacles)) continue;
        const geometry = shape < 0 ? new SphereGeometry(0.1 * kDot * extent, 16, 12) : geometryOf(meshes[shape]);
        this.families.push({ mesh: this.instances(geometry, bodies.length, obstacles), bodies });
      }
    }
    scene.add(...this.families.map((family) => family.mesh));
  }

  private instances(geometry: BufferGeometry, count: number, obstacles: boolean): InstancedMesh {
    const flat = geometry.userData.plane === true;
    const material = new MeshStandardMaterial({
      roughness: 0.78, metalness: 0.02, vertexColors: geometry.hasAttribute("color"),
      side: flat ? FrontSide : DoubleSide, transparent: flat, opacity: flat ? 0.4 : 1, depthWrite: !flat,
    });
    const mesh = new InstancedMesh(geometry, material, count);
    mesh.castShadow = !flat;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    mesh.userData.obstacles = obstacles;
    mesh.userData.plane = flat;
    return mesh;
  }

  /** The box around bodies that have a shape, planes left out. */
  box(place: Placement): Box3 {
    const box = new Box3(), at = new Vector3();
    for (const { mesh, bodies } of this.families) {
      if (mesh.userData.plane) continue;
      const points = mesh.geometry.getAttribute("position"), dot = this.run.head.mesh[bodies[0]] < 0;
      for (const body of bodies) {
        if (!place.there[body]) continue;
        this.matrixOf(body, place);
        for (let k = 0; k < points.count; k += dot ? points.count : 1) box.expandByPoint(at.fromBufferAttribute(points, k).applyMatrix4(this.matrix));
      }
    }
    return box;
  }

  private matrixOf(body: number, place: Placement): Matrix4 {
    kPosition.fromArray(place.position, 3 * body);
    kTurning.fromArray(place.orientation, 4 * body).normalize();
    const { mesh, scale } = this.run.head;
    if (!place.there[body]) kScale.setScalar(0);
    else if (mesh[body] < 0) kScale.setScalar(1);
    else kScale.fromArray(scale, 3 * body);
    return this.matrix.compose(kPosition, kTurning, kScale);
  }

  /** Shows the bodies where they are; `before` is the frame before, dt [s] earlier, for their speed. */
  show(place: Placement, before: Placement | undefined, dt: number, contacts: Contacts | undefined): void {
    const colourOf = this.colouringOf(place, before, dt, contacts);
    for (const { mesh, bodies } of this.families) {
      if (!mesh.userData.plane) this.setFaint(mesh.material as MeshStandardMaterial);
      bodies.forEach((body, k) => {
        mesh.setMatrixAt(k, this.matrixOf(body, place));
        mesh.setColorAt(k, body === this.picked ? kPicked : mesh.userData.plane ? kPlane : mesh.userData.obstacles ? kObstacle : colourOf(body));
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor!.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  private setFaint(material: MeshStandardMaterial): void {
    if (material.transparent === this.faint) return;
    Object.assign(material, { transparent: this.faint, opacity: this.faint ? 0.28 : 1, depthWrite: !this.faint, needsUpdate: true });
  }

  private colouringOf(place: Placement, before: Placement | undefined, dt: number, contacts?: Contacts): (body: number) => Color {
    const run = this.run;
    switch (this.colouring) {
      case "body": return bodyColour;
      case "sleeping": return (body) => (place.asleep[body] ? kAsleep : kAwake);
      case "speed": {
        const speed = speeds(place, before, dt), most = Math.max(...speed, 1e-12);
        return (body) => scaleColour(speed[body] / most, this.colour);
      }
      case "island": {
        if (!contacts) return () => kNoValue;
        const island = islandsOf(contacts, run.bodies, (body) => run.isObstacle(body));
        return (body) => (island[body] < 0 ? kNoValue : islandColour(island[body], this.colour));
      }
      case "residual": {
        const residual = new Float32Array(run.bodies);
        for (let k = 0; contacts && k < contacts.count; ++k) {
          for (const body of [contacts.master[k], contacts.slave[k]]) residual[body] = Math.max(residual[body], contacts.residual[k] || 0);
        }
        return (body) => (residual[body] > 0 ? scaleColour(residualShare(residual[body]), this.colour) : kNoValue);
      }
    }
  }

  /** The body that the ray meets first, −1 for none; planes are looked through. */
  pick(ray: Raycaster): number {
    const solid = this.families.filter(({ mesh }) => !mesh.userData.plane);
    const hit: Intersection | undefined = ray.intersectObjects(solid.map(({ mesh }) => mesh), false)[0];
    const family = solid.find(({ mesh }) => mesh === hit?.object);
    return family && hit!.instanceId !== undefined ? family.bodies[hit!.instanceId] : -1;
  }
}

const kPosition = new Vector3(), kScale = new Vector3(), kTurning = new Quaternion();

/** Of mass centres, from one frame to the next [m/s]. */
export function speeds(place: Placement, before: Placement | undefined, dt: number): Float32Array {
  const speed = new Float32Array(place.there.length);
  if (!before || !(dt > 0)) return speed;
  for (let b = 0; b < speed.length; ++b) {
    const [x, y, z] = [0, 1, 2].map((k) => place.position[3 * b + k] - before.position[3 * b + k]);
    speed[b] = Math.hypot(x, y, z) / dt;
  }
  return speed;
}

// A ball gets a smooth surface of two tones, so that it is seen to turn.
function geometryOf(mesh: { points: string; triangles: string }): BufferGeometry {
  const points = floatsOf(mesh.points), triangles = indicesOf(mesh.triangles);
  if (isBall(points)) return ball();
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  const creased = toCreasedNormals(geometry, kCrease);
  creased.userData.plane = triangles.length === 6;
  return creased;
}

function isBall(points: Float32Array): boolean {
  if (points.length < 3 * 18) return false;
  for (let k = 0; k < points.length; k += 3) {
    if (Math.abs(Math.hypot(points[k], points[k + 1], points[k + 2]) - 1) > 1e-3) return false;
  }
  return true;
}

function ball(): BufferGeometry {
  const geometry = new SphereGeometry(1, 24, 16), at = geometry.getAttribute("position");
  const tones = new Float32Array(3 * at.count);
  for (let k = 0; k < at.count; ++k) tones.fill(at.getX(k) * at.getY(k) * at.getZ(k) > 0 ? 0.8 : 1, 3 * k, 3 * k + 3);
  geometry.setAttribute("color", new BufferAttribute(tones, 3));
  return geometry;
}
