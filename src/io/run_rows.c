// SPDX-License-Identifier: MIT
#include "io/run_rows.h"

#include "io/probe_tables.h"
#include <inttypes.h>
#include <stdlib.h>

void rows_stats(FILE* stream, const RowsInput* input)
{
    const mn_Stats* s = input->stats;
    fprintf(stream, "%" PRId64 ",%.9g,%" PRIu64 ",%.9g,%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,", input->frame, input->time, s->steps,
            s->dt, s->fluid_particles, s->boundary_particles, s->density_error_mean, s->density_error_max);
    fprintf(stream, "%d,%.9g,%.9g,%.9g,%.9g,%.9g,", s->iterations, s->kinetic_energy, s->potential_energy, s->momentum.x,
            s->momentum.y, s->momentum.z);
    fprintf(stream, "%" PRIu64 ",%" PRIu64 ",%.9g,%" PRIu64 ",%" PRIu64 ",%.9g\n", s->lost_particles, s->leaked_particles,
            input->seconds, s->diffuse_particles, s->broken_faces, s->residual_divergence);
}

static void print_vector(FILE* stream, mn_Vec3 v)
{
    fprintf(stream, ",%.9g,%.9g,%.9g", v.x, v.y, v.z);
}

// An elastic solid has no frame of its own that moves: its row has the centre of mass, and the torque about it.
static void show_centre(mn_SolidView* solid)
{
    mn_Vec3 c = solid->centre, f = solid->force;
    solid->pose.position = c;
    solid->torque.x -= c.y * f.z - c.z * f.y;
    solid->torque.y -= c.z * f.x - c.x * f.z;
    solid->torque.z -= c.x * f.y - c.y * f.x;
}

void rows_bodies(FILE* stream, const RowsInput* input)
{
    // as many rows in every frame: those of the scene, not of solids that events bring
    size_t count = mn_world_solid_count(input->world);
    for (size_t k = 0; k < count && k < input->scene->solid_count; k++) {
        mn_SolidView solid = mn_world_solid(input->world, (mn_SolidId)(k + 1));
        if (solid.type == MN_SOLID_ELASTIC)
            show_centre(&solid);
        fprintf(stream, "%" PRId64 ",%.9g,", input->frame, input->time);
        csv_print_text(stream, input->scene->solids[k].name ? input->scene->solids[k].name : "");
        print_vector(stream, solid.pose.position);
        fprintf(stream, ",%.9g", solid.pose.rotation.w);
        print_vector(stream, (mn_Vec3){solid.pose.rotation.x, solid.pose.rotation.y, solid.pose.rotation.z});
        print_vector(stream, solid.velocity);
        print_vector(stream, solid.angular_velocity);
        print_vector(stream, solid.force);
        print_vector(stream, solid.torque);
        fputc('\n', stream);
    }
}

// A column per probe, then the components of those that measure something directed.
void rows_probes(FILE* stream, const RowsInput* input)
{
    fprintf(stream, "%" PRId64 ",%.9g", input->frame, input->time);
    for (size_t k = 0; k < input->scene->probe_count; k++)
        fprintf(stream, ",%.9g", mn_world_probe(input->world, (mn_ProbeId)(k + 1), NULL));
    for (size_t k = 0; k < input->scene->probe_count; k++) {
        mn_Vec3 vector;
        if (!probe_has_components(&input->scene->probes[k]))
            continue;
        mn_world_probe(input->world, (mn_ProbeId)(k + 1), &vector);
        print_vector(stream, vector);
    }
    fputc('\n', stream);
}

static void print_probe_name(FILE* stream, const mn_Scene* scene, size_t probe, const char* ending)
{
    char name[128];
    if (scene->probes[probe].name)
        snprintf(name, sizeof name, "%.110s%s", scene->probes[probe].name, ending);
    else
        snprintf(name, sizeof name, "probe%zu%s", probe, ending);
    fputc(',', stream);
    csv_print_text(stream, name);
}

char* rows_probes_header(const mn_Scene* scene)
{
    static const char* const component[] = {"_x", "_y", "_z"};
    char* text = NULL;
    size_t size = 0;
    FILE* stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs("frame,time", stream);
    for (size_t k = 0; k < scene->probe_count; k++)
        print_probe_name(stream, scene, k, "");
    for (size_t k = 0; k < scene->probe_count; k++)
        for (size_t c = 0; c < 3 && probe_has_components(&scene->probes[k]); c++)
            print_probe_name(stream, scene, k, component[c]);
    fputc('\n', stream);
    bool good = !ferror(stream);
    if (fclose(stream) || !good) {
        free(text);
        return NULL;
    }
    return text;
}
