// Contacts: force chains as tubes whose radius grows with R_n, friction cones with the reaction in them, and the points.

import {
  BufferGeometry, Color, ConeGeometry, CylinderGeometry, DoubleSide, IcosahedronGeometry, InstancedMesh, Material, Matrix4, MeshBasicMaterial,
  MeshStandardMaterial, Quaternion, Scene, Vector3,
} from "three";

import { kNoValue, kStateColours, residualShare, scaleColour } from "./colours";
import type { Contacts, Placement, RunData } from "./run_data";

export const kContactColourings = ["state", "force", "residual"] as const;
export type ContactColouring = (typeof kContactColourings)[number];

const kUp = new Vector3(0, 1, 0);  // the axis of three.js's cones and cylinders
const kTubeRadius = 0.16, kConeHeight = 0.42, kPointRadius = 0.055;  // over the median size of bodies

export class ContactsView {
  chains = false;
  cones = false;
  points = true;
  colouring: ContactColouring = "state";
  private readonly tubes: Instances;
  private readonly coneInstances: Instances;
  private readonly reactions: Instances;
  private readonly balls: Instances;
  private readonly colour = new Color();

  /** `size` is the median radius of bodies [m]. */
  constructor(private readonly run: RunData, scene: Scene, private readonly size: number) {
    const cone = new ConeGeometry(1, 1, 24, 1, true).rotateX(Math.PI).translate(0, 0.5, 0);  // apex in the origin
    const rod = new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
    this.tubes = new Instances(scene, rod, new MeshStandardMaterial({ roughness: 0.5 }), 0);
    this.coneInstances = new Instances(scene, cone, new MeshBasicMaterial({
      transparent: true, opacity: 0.22, side: DoubleSide, depthWrite: false }), 2);
    this.reactions = new Instances(scene, rod, new MeshBasicMaterial(), 1);
    this.balls = new Instances(scene, new IcosahedronGeometry(1), new MeshBasicMaterial({ depthTest: false, transparent: true }), 3);
  }

  show(contacts: Contacts | undefined, place: Placement): void {
    for (const instances of [this.tubes, this.coneInstances, this.reactions, this.balls]) instances.clear();
    for (let k = 0; contacts && k < contacts.count; ++k) this.showOne(contacts, k, place);
    for (const instances of [this.tubes, this.coneInstances, this.reactions, this.balls]) instances.done();
  }

  private showOne(c: Contacts, k: number, place: Placement): void {
    const at = new Vector3().fromArray(c.point, 3 * k), colour = this.colourOf(c, k);
    if (this.points) this.balls.add(at, kUp, kPointRadius * this.size, kPointRadius * this.size, colour);
    if (c.normalForce[k] <= 0) return;
    if (this.chains) this.addChain(c, k, at, place, colour);
    if (this.cones) this.addCone(c, k, at, colour);
  }

  // From mass centre to mass centre through the point; obstacles have none.
  private addChain(c: Contacts, k: number, at: Vector3, place: Placement, colour: Color): void {
    const radius = kTubeRadius * this.size * Math.min(c.normalForce[k] / this.run.head.force, 2);
    for (const body of [c.master[k], c.slave[k]]) {
      if (this.run.isObstacle(body)) continue;
      const way = new Vector3().fromArray(place.position, 3 * body).sub(at);
      this.tubes.add(at, way.clone().normalize(), radius, way.length(), colour);
    }
  }

  private addCone(c: Contacts, k: number, at: Vector3, colour: Color): void {
    const height = kConeHeight * this.size, normal = new Vector3().fromArray(c.normal, 3 * k).normalize();
    const force = new Vector3().fromArray(c.force, 3 * k);
    const across = new Vector3().fromArray(c.crossFriction, 3 * k), wide = across.length();
    if (wide > 0) {
      across.normalize();
      this.coneInstances.addElliptic(at, normal, across, c.friction[k] * height, wide * height, height, colour);
    } else if (c.friction[k] > 0) {
      this.coneInstances.add(at, normal, c.friction[k] * height, height, colour);
    }
    const length = (height * force.length()) / c.normalForce[k];
    this.reactions.add(at, force.normalize(), 0.03 * this.size, length, colour);
  }

  private colourOf(c: Contacts, k: number): Color {
    switch (this.colouring) {
      case "state": return kStateColours[c.state[k]];
      case "force": return scaleColour(Math.sqrt(Math.max(c.normalForce[k], 0) / this.run.head.force), this.colour);
      case "residual": return c.residual[k] > 0 ? scaleColour(residualShare(c.residual[k]), this.colour) : kNoValue;
    }
  }
}

/** Instances of a geometry that stands on the origin along y; their number changes from frame to frame. */
export class Instances {
  private mesh?: InstancedMesh;
  private count = 0;
  private readonly matrix = new Matrix4();
  private readonly turning = new Quaternion();
  private readonly scale = new Vector3();

  constructor(private readonly scene: Scene, private readonly geometry: BufferGeometry,
              private readonly material: Material, private readonly order: number) {}

  clear(): void { this.count = 0; }

  add(at: Vector3, along: Vector3, radius: number, length: number, colour: Color): void {
    const mesh = this.withRoom();
    this.turning.setFromUnitVectors(kUp, along);
    mesh.setMatrixAt(this.count, this.matrix.compose(at, this.turning, this.scale.set(radius, length, radius)));
    mesh.setColorAt(this.count++, colour);
  }

  /** With half axes `radius` and, along `across`, `wide`. */
  addElliptic(at: Vector3, along: Vector3, across: Vector3, radius: number, wide: number, length: number,
              colour: Color): void {
    const mesh = this.withRoom(), third = along.clone().cross(across).multiplyScalar(radius);
    this.matrix.makeBasis(third, along.clone().multiplyScalar(length), across.clone().multiplyScalar(wide));
    mesh.setMatrixAt(this.count, this.matrix.setPosition(at));
    mesh.setColorAt(this.count++, colour);
  }

  done(): void {
    if (!this.mesh) return;
    this.mesh.count = this.count;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private withRoom(): InstancedMesh {
    const before = this.mesh;
    if (before && this.count < before.instanceMatrix.count) return before;
    const mesh = new InstancedMesh(this.geometry, this.material, Math.max(256, 2 * this.count));
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    for (let k = 0; before && k < this.count; ++k) {
      before.getMatrixAt(k, this.matrix);
      mesh.setMatrixAt(k, this.matrix);
      before.getColorAt(k, kSpare);
      mesh.setColorAt(k, kSpare);
    }
    if (before) {
      this.scene.remove(before);
      before.dispose();
    }
    this.scene.add(mesh);
    return (this.mesh = mesh);
  }
}

const kSpare = new Color();
