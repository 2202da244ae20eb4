// SPDX-License-Identifier: MIT
#include "fluid/tension/contact.h"

#include "fluid/tension/adhesion.h"

static const float BESIDE = 1.5f;                // [spacings] from a wall within which the shape is taken along it
static const float NEAREST = 0.1f;               // [spacings] images are at least twice as far
static const float LINE[2] = {0.08f, 0.2f};      // gradient along the wall times the spacing: no line of contact, surely one
static const float TURN[2] = {0.5f, 0.8660254f}; // cosine and sine of the most that an image is turned by: it must stay on one side

bool contact_find(const Sph* sph, size_t i, WallContact* out)
{
    const NearBoundary* near = sph->neighbours.chunk[i / LANES].near;
    const size_t lane = i % LANES;
    if (!near || !(near->lanes >> lane & 1))
        return false;
    const uint16_t* coefficient = list_coefficients(near->index, near->slots);
    const Vec4 x = sph->fluid.position[i];
    const double h2 = (double)sph->kernel.h * (double)sph->kernel.h;
    double weight = 0, least = INFINITY, sum[3] = {0, 0, 0};
    for (uint32_t s = 0; s < near->slots; s++) {
        if (coefficient[LANES * s + lane] == 0)
            continue;
        uint32_t b = near->index[LANES * s + lane];
        Vec4 p = sph->walls.points.position[b];
        double d[3] = {(double)x.x - (double)p.x, (double)x.y - (double)p.y, (double)x.z - (double)p.z};
        double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], w = fmax(1 - r2 / h2, 0);
        w *= w;
        weight += w;
        for (int k = 0; k < 3; k++)
            sum[k] += w * d[k];
        if (r2 < least) {
            least = r2;
            out->solid = sph->walls.solid[b];
        }
    }
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (!(length > 0) || !(weight > 0))
        return false;
    for (int k = 0; k < 3; k++)
        out->normal[k] = (float)(sum[k] / length);
    // all of a flat layer are as far along the normal
    out->distance = (float)fmax(length / weight - (double)sph->walls.contact[out->solid].offset, 2 * (double)NEAREST * sph->radius);
    return true;
}

static float along_normal(const WallContact* wall, const float v[3])
{
    return v[0] * wall->normal[0] + v[1] * wall->normal[1] + v[2] * wall->normal[2];
}

void contact_gradient(const Sph* sph, const WallContact* wall, const float fluid[3], const float all[3], float out[3])
{
    float beside = fminf(fmaxf(1 - wall->distance / (BESIDE * 2 * (float)sph->radius), 0), 1);
    float room = fmaxf(1 - wall->distance / sph->kernel.h, 0), hidden = 0.5f * room * room * room; // of the kernel, behind the wall
    float n_fluid = along_normal(wall, fluid), n_all = along_normal(wall, all) * (1 - beside);
    for (int k = 0; k < 3; k++)
        out[k] = (fluid[k] - n_fluid * wall->normal[k]) / (1 - hidden) + n_all * wall->normal[k];
}

float contact_image(const Sph* sph, const WallContact* wall, Vec4 gradient, ContactImage* image)
{
    const float g[3] = {gradient.x, gradient.y, gradient.z};
    float n = along_normal(wall, g), along[3], square = 0;
    for (int k = 0; k < 3; k++) {
        along[k] = n * wall->normal[k] - g[k];
        square += along[k] * along[k];
    }
    float length = sqrtf(square), size = length * 2 * (float)sph->radius;
    if (!(size > LINE[0]))
        return 0;
    for (int k = 0; k < 3; k++) {
        image->normal[k] = wall->normal[k];
        image->along[k] = along[k] / length;
    }
    image->cosine = sph->walls.contact[wall->solid].cosine[(int)gradient.w];
    image->sine = sqrtf(fmaxf(1 - image->cosine * image->cosine, 0));
    return fminf((size - LINE[0]) / (LINE[1] - LINE[0]), 1);
}

Vec4 contact_reflect(const ContactImage* c, Vec4 v)
{
    float n = v.x * c->normal[0] + v.y * c->normal[1] + v.z * c->normal[2];
    float t = v.x * c->along[0] + v.y * c->along[1] + v.z * c->along[2];
    float e = 2 * (n * c->cosine + t * c->sine), rn = e * c->cosine - n, rt = e * c->sine - t;
    if (rn * n + rt * t < TURN[0] * (n * n + t * t)) {
        float side = n * c->sine - t * c->cosine < 0 ? -TURN[1] : TURN[1];
        rn = TURN[0] * n - side * t;
        rt = TURN[0] * t + side * n;
    }
    float dn = rn - n, dt = rt - t;
    return (Vec4){v.x + dn * c->normal[0] + dt * c->along[0], v.y + dn * c->normal[1] + dt * c->along[1],
                  v.z + dn * c->normal[2] + dt * c->along[2], v.w};
}
