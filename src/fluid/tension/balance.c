// SPDX-License-Identifier: MIT
// The tension of a closed surface sums to no force and no torque, whatever its shape. Sums over fitted curvatures do only nearly
// (about a hundredth), and a drop in free flight would drift. The band is cut into connected parts, and from each
// part that touches no solid the field a + b x r, weighted by |G|, is taken that makes both sums vanish. Where a part touches a
// solid its line of contact pulls, and nothing is taken; along periodic axes there is no torque to speak of, and only the force is.
#include "fluid/tension/band.h"

#include <string.h>

struct BandPart {
    double weight, centre[3]; // of rho |G|; [m] from its first particle
    double force[3], torque[3];
    double moment[6]; // xx, yy, zz, xy, yz, zx of rho |G| r r
    double push[3], turn[3];
    uint32_t first;
    bool touches;
};

// --- parts

static uint32_t root_of(uint32_t* parent, uint32_t k)
{
    while (parent[k] != k) {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    return k;
}

// The lowest number is the root: the same whatever the order.
static void join(uint32_t* parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void join_neighbours(SurfaceBand* band, const Sph* sph)
{
    for (uint32_t k = 0; k < band->count; k++)
        band->part[k] = k;
    for (uint32_t k = 0; k < band->count; k++) {
        uint32_t i = band->particle[k];
        if (band_is_image(band, k))
            continue; // a part of its own, without weight
        const ChunkList* list = &sph->neighbours.chunk[i / LANES];
        for (uint32_t s = 0; s < list->slots; s++) {
            uint32_t other = band->slot[list->twice[LANES * s + i % LANES] / 2];
            if (other != BAND_NONE && other < k)
                join(band->part, k, other);
        }
    }
}

// Replaces roots by numbers of parts. False: out of memory.
static bool number_parts(SurfaceBand* band)
{
    band->part_count = 0;
    for (uint32_t k = 0; k < band->count; k++) {
        uint32_t root = root_of(band->part, k);
        if (root != k)
            continue;
        size_t n = band->part_count++;
        if (!memory_reserve(band->memory, &band->parts, &band->part_capacity, n, n + 1, sizeof *band->parts))
            return false;
        memset(&band->parts[n], 0, sizeof band->parts[n]);
        band->parts[n].first = k;
    }
    // roots come before their members: those already have numbers, kept from `first` on
    uint32_t next = 0;
    for (uint32_t k = 0; k < band->count; k++) {
        uint32_t above = band->part[k];
        band->part[k] = above == k ? next++ : band->part[above];
    }
    return true;
}

// --- sums

static void apart(const SurfaceBand* band, const Sph* sph, const BandPart* part, size_t k, double r[3])
{
    Vec4 x = band->at[k], o = band->at[part->first];
    const double d[3] = {(double)x.x - (double)o.x, (double)x.y - (double)o.y, (double)x.z - (double)o.z};
    for (int a = 0; a < 3; a++)
        r[a] = period_difference(&sph->grid.period, a, d[a]) - part->centre[a];
}

static double density_of(const SurfaceBand* band, const Sph* sph, size_t k)
{
    return (double)sph->material[(int)band->inward[k].w].density;
}

static bool touches(const SurfaceBand* band, const Sph* sph, size_t k)
{
    uint32_t i = band->particle[k];
    const NearBoundary* near = sph->neighbours.chunk[i / LANES].near;
    return near && near->lanes >> (i % LANES) & 1;
}

static void add_centres(SurfaceBand* band, const Sph* sph)
{
    for (size_t k = 0; k < band->count; k++) {
        BandPart* part = &band->parts[band->part[k]];
        double w = band_is_image(band, k) ? 0 : density_of(band, sph, k) * (double)band->at[k].w, r[3];
        const double centre[3] = {part->centre[0], part->centre[1], part->centre[2]};
        memset(part->centre, 0, sizeof part->centre);
        apart(band, sph, part, k, r);
        part->weight += w;
        for (int a = 0; a < 3; a++)
            part->centre[a] = centre[a] + w * r[a];
        part->touches |= touches(band, sph, k);
    }
    for (size_t n = 0; n < band->part_count; n++)
        for (int a = 0; a < 3; a++)
            band->parts[n].centre[a] /= fmax(band->parts[n].weight, 1e-30);
}

static void add_forces(SurfaceBand* band, const Sph* sph)
{
    for (size_t k = 0; k < band->count; k++) {
        BandPart* part = &band->parts[band->part[k]];
        if (band_is_image(band, k))
            continue;
        double rho = density_of(band, sph, k), w = rho * (double)band->at[k].w, r[3];
        Vec4 a = band->force[k];
        const double f[3] = {rho * (double)a.x, rho * (double)a.y, rho * (double)a.z};
        apart(band, sph, part, k, r);
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            part->force[c] += f[c];
            part->torque[c] += r[d] * f[e] - r[e] * f[d];
            part->moment[c] += w * r[c] * r[c];
            part->moment[3 + c] += w * r[c] * r[d];
        }
    }
}

// --- the field that is taken

// I b = T with I = sum w (r^2 - r r). What a part has too few particles for is left.
static void solve_turn(BandPart* p)
{
    const double *m = p->moment, *t = p->torque;
    double xx = m[1] + m[2], yy = m[2] + m[0], zz = m[0] + m[1], xy = -m[3], yz = -m[4], zx = -m[5];
    double scale = m[0] + m[1] + m[2];
    if (m[2] <= 1e-12 * scale && zz > 0) { // in a plane
        p->turn[2] = t[2] / zz;
        return;
    }
    double c[3] = {yy * zz - yz * yz, yz * zx - xy * zz, xy * yz - yy * zx};
    double det = xx * c[0] + xy * c[1] + zx * c[2];
    if (!(det > 1e-9 * scale * scale * scale))
        return;
    double d[3] = {c[1], xx * zz - zx * zx, xy * zx - xx * yz}, e[3] = {c[2], d[2], xx * yy - xy * xy};
    p->turn[0] = (c[0] * t[0] + c[1] * t[1] + c[2] * t[2]) / det;
    p->turn[1] = (d[0] * t[0] + d[1] * t[1] + d[2] * t[2]) / det;
    p->turn[2] = (e[0] * t[0] + e[1] * t[1] + e[2] * t[2]) / det;
}

static void take_away(SurfaceBand* band, const Sph* sph)
{
    for (size_t k = 0; k < band->count; k++) {
        const BandPart* p = &band->parts[band->part[k]];
        if (p->touches)
            continue;
        double r[3], w = (double)band->at[k].w;
        apart(band, sph, p, k, r);
        Vec4* a = &band->force[k];
        a->x -= (float)(w * (p->push[0] + p->turn[1] * r[2] - p->turn[2] * r[1]));
        a->y -= (float)(w * (p->push[1] + p->turn[2] * r[0] - p->turn[0] * r[2]));
        a->z -= (float)(w * (p->push[2] + p->turn[0] * r[1] - p->turn[1] * r[0]));
    }
}

bool band_balance(SurfaceBand* band, const Sph* sph)
{
    join_neighbours(band, sph);
    if (!number_parts(band))
        return false;
    add_centres(band, sph);
    add_forces(band, sph);
    for (size_t n = 0; n < band->part_count; n++) {
        BandPart* p = &band->parts[n];
        for (int a = 0; a < 3; a++)
            p->push[a] = p->force[a] / fmax(p->weight, 1e-30);
        if (!sph->grid.period.any)
            solve_turn(p);
    }
    take_away(band, sph);
    return true;
}
