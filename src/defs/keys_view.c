// SPDX-License-Identifier: MIT
// Keys of the view block: camera, light, materials, captions.
#include "defs/key_table.h"

// clang-format off
#define VIEW(member) offsetof(mn_ViewDef, member)
#define LIGHT(member) offsetof(mn_LightDef, member)
#define ENVIRONMENT(member) offsetof(mn_EnvironmentDef, member)
#define GROUND(member) offsetof(mn_GroundDef, member)
#define SOLID_LOOK(member) offsetof(mn_SolidLook, member)
#define FLUID_LOOK(member) offsetof(mn_FluidLook, member)
#define CAPTION(member) offsetof(mn_CaptionDef, member)

_Static_assert(offsetof(mn_ViewDef, height) == offsetof(mn_ViewDef, width) + sizeof(int), "view.size is a pair");

static const char* const colour_words[] = {"speed", "pressure", "density", "fluid", NULL};
static const char* const style_words[] = {"auto", "particles", "liquid", "surface", NULL};
static const char* const sky_words[] = {"studio", "day", "gradient", "map", NULL};
static const char* const finish_words[] = {"paint", "matte", "metal", "glass", NULL};
static const char* const axis_words[] = {"x", "y", "z", NULL};

static const Key camera_keys[] = {
    {.name = "eye", .type = KEY_POINT, .offset = VIEW(eye), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Where the camera is."},
    {.name = "target", .type = KEY_POINT, .offset = VIEW(target), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "The point it looks at."},
    {.name = "field_of_view", .type = KEY_NUMBER, .offset = VIEW(field_of_view), .unit = "degrees", .range = WITHIN(1, 170),
     .doc = "Vertical opening angle."},
    {.name = "aperture", .type = KEY_NUMBER, .offset = VIEW(aperture), .unit = "m", .range = WITHIN(0, 1e6),
     .doc = "Radius of the lens in final pictures; what is not at the distance of focus is blurred, 0 keeps all sharp."},
    {.name = "focus", .type = KEY_NUMBER, .offset = VIEW(focus), .unit = "m", .range = ABOVE(0, 1e9), AUTO,
     .doc = "Distance that is sharp; auto is that of the target."},
};

const Section camera_section = {.path = "view.camera",
                                       .doc = "Where the picture is taken from; auto frames the scene by itself.",
                                       .size = sizeof(mn_ViewDef),
                                       .keys = camera_keys,
                                       .key_count = COUNT(camera_keys),
                                       .check = camera_check};

static const Key caption_keys[] = {
    {.name = "text", .type = KEY_STRING, .offset = CAPTION(text), .required = true, .doc = "What is written."},
    {.name = "position", .type = KEY_PAIR, .offset = CAPTION(position), .unit = "1", .range = WITHIN(0, 1),
     .doc = "Left end of the line, in shares of the picture's width and height from its upper left corner."},
    {.name = "size", .type = KEY_NUMBER, .offset = CAPTION(size), .unit = "1", .range = WITHIN(0.005, 0.5),
     .doc = "Height of a capital letter, as a share of the picture's height."},
};

const Section caption_section = {.path = "view.captions",
                                        .doc = "Lines of text over the picture.",
                                        .size = sizeof(mn_CaptionDef),
                                        .keys = caption_keys,
                                        .key_count = COUNT(caption_keys),
                                        .defaults = caption_defaults};

static bool is_gradient(const void* object)
{
    return ((const mn_EnvironmentDef*)object)->sky == MN_SKY_GRADIENT;
}
static bool is_map(const void* object)
{
    return ((const mn_EnvironmentDef*)object)->sky == MN_SKY_MAP;
}

static const Key environment_keys[] = {
    {.name = "sky", .type = KEY_ENUM, .offset = ENVIRONMENT(sky), .words = sky_words,
     .doc = "studio: a neutral wall in the colour of the background, with soft boxes; day: a blue sky with a small sun; gradient: "
            "colours of your own; map: a picture of all directions."},
    {.name = "zenith", .type = KEY_COLOUR, .offset = ENVIRONMENT(zenith), .applies = is_gradient, .only = "gradient",
     .doc = "Colour straight above."},
    {.name = "horizon", .type = KEY_COLOUR, .offset = ENVIRONMENT(horizon), .applies = is_gradient, .only = "gradient",
     .doc = "Colour at the horizon."},
    {.name = "below", .type = KEY_COLOUR, .offset = ENVIRONMENT(below), .applies = is_gradient, .only = "gradient",
     .doc = "Colour straight below."},
    {.name = "file", .type = KEY_IMAGE, .offset = ENVIRONMENT(file), .required = true, .applies = is_map, .only = "map",
     .doc = "Picture of all directions, longitude across and latitude down (.hdr, .pfm or .png)."},
    {.name = "turn", .type = KEY_NUMBER, .offset = ENVIRONMENT(turn), .unit = "degrees", .range = WITHIN(-360, 360),
     .applies = is_map, .only = "map", .doc = "Turns the map about the vertical."},
    {.name = "strength", .type = KEY_NUMBER, .offset = ENVIRONMENT(strength), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Times the light of the environment."},
};

const Section environment_section = {.path = "view.environment",
                                            .doc = "What surrounds the scene: light from everywhere, seen in water and metal.",
                                            .size = sizeof(mn_EnvironmentDef),
                                            .keys = environment_keys,
                                            .key_count = COUNT(environment_keys)};

static const Key light_keys[] = {
    {.name = "direction", .type = KEY_POINT, .offset = LIGHT(direction), .unit = "1", .range = COORDINATE, .required = true,
     .doc = "Towards the light, of any length."},
    {.name = "colour", .type = KEY_COLOUR, .offset = LIGHT(colour), .doc = "Red, green and blue of its light."},
    {.name = "strength", .type = KEY_NUMBER, .offset = LIGHT(strength), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Brightness; the studio's own light has 1."},
    {.name = "size", .type = KEY_NUMBER, .offset = LIGHT(size), .unit = "degrees", .range = WITHIN(0.1, 60),
     .doc = "Half of the angle that it fills in the sky: larger lights have softer shadows."},
};

const Section light_section = {.path = "view.lights",
                                      .doc = "Far lamps; the first one casts the shadows of fast pictures. An empty list takes the light "
                                             "that belongs to the environment.",
                                      .size = sizeof(mn_LightDef),
                                      .keys = light_keys,
                                      .key_count = COUNT(light_keys),
                                      .defaults = light_defaults,
                                      .check = light_check};

static const Key ground_keys[] = {
    {.name = "colour", .type = KEY_COLOUR, .offset = GROUND(colour), AUTO,
     .doc = "Red, green and blue; auto suits the environment."},
    {.name = "checker", .type = KEY_COLOUR, .offset = GROUND(checker), .word = "none", .word_value = MN_AUTO,
     .doc = "Second colour of a checkerboard."},
    {.name = "checker_size", .type = KEY_NUMBER, .offset = GROUND(checker_size), .unit = "m", .range = ABOVE(0, 1e6), AUTO,
     .doc = "Size of a field; auto is a tenth of the scene."},
};

const Section ground_section = {.path = "view.ground",
                                       .doc = "The ground below the scene; none leaves it out.",
                                       .size = sizeof(mn_GroundDef),
                                       .keys = ground_keys,
                                       .key_count = COUNT(ground_keys)};

static const Key solid_look_keys[] = {
    {.name = "solid", .type = KEY_NAME, .offset = SOLID_LOOK(solid), .required = true, .doc = "Name of the solid."},
    {.name = "finish", .type = KEY_ENUM, .offset = SOLID_LOOK(finish), .words = finish_words,
     .doc = "paint: matte under a clear coat; metal: mirrors, in its colour; glass: clear, in final pictures."},
    {.name = "colour", .type = KEY_COLOUR, .offset = SOLID_LOOK(colour), AUTO,
     .doc = "Red, green and blue; auto is the solid's own."},
    {.name = "roughness", .type = KEY_NUMBER, .offset = SOLID_LOOK(roughness), .unit = "1", .range = WITHIN(0, 1),
     .doc = "Of metal: 0 is a mirror, 1 nearly matte."},
    {.name = "ior", .type = KEY_NUMBER, .offset = SOLID_LOOK(ior), .unit = "1", .range = WITHIN(1, 4),
     .doc = "Index of refraction of glass and of the coat of paint."},
    {.name = "checker", .type = KEY_COLOUR, .offset = SOLID_LOOK(checker), .word = "none", .word_value = MN_AUTO,
     .doc = "Second colour of a checkerboard that moves with the solid."},
    {.name = "texture", .type = KEY_IMAGE, .offset = SOLID_LOOK(texture), .word = "none",
     .doc = "Picture (.png) laid on from the six sides of the solid; replaces colour and checker."},
    {.name = "pattern_size", .type = KEY_NUMBER, .offset = SOLID_LOOK(pattern), .unit = "m", .range = ABOVE(0, 1e6), AUTO,
     .doc = "Size of a checker's field, a quarter of the solid if auto, or of the texture's picture, the whole solid if auto."},
};

const Section solid_look_section = {.path = "view.solids",
                                           .doc = "What solids are made of in pictures; those not listed are painted in their colour.",
                                           .size = sizeof(mn_SolidLook),
                                           .keys = solid_look_keys,
                                           .key_count = COUNT(solid_look_keys),
                                           .defaults = solid_look_defaults,
                                           };

static const Key fluid_look_keys[] = {
    {.name = "fluid", .type = KEY_NAME, .offset = FLUID_LOOK(fluid), .required = true, .doc = "Name of the fluid."},
    {.name = "colour", .type = KEY_COLOUR, .offset = FLUID_LOOK(colour), AUTO,
     .doc = "Colour of white light after `depth`; auto gives each fluid of a scene one of its own, the first that of water."},
    {.name = "depth", .type = KEY_NUMBER, .offset = FLUID_LOOK(depth), .unit = "m", .range = ABOVE(0, 1e9), AUTO,
     .doc = "How much fluid gives it its colour; auto is half the size of the fluid, so that small scenes have colour too."},
    {.name = "absorption", .type = KEY_POINT, .offset = FLUID_LOOK(absorption), .unit = "1/m", .range = WITHIN(0, 1e9), AUTO, .doc = "Absorption of red, green and blue, instead of colour and depth; real water has [0.35, 0.06, 0.02]."},
    {.name = "ior", .type = KEY_NUMBER, .offset = FLUID_LOOK(ior), .unit = "1", .range = WITHIN(1, 4), .doc = "Index of refraction."},
};

const Section fluid_look_section = {.path = "view.fluids",
                                           .doc = "How liquids look when they are drawn as liquids.",
                                           .size = sizeof(mn_FluidLook),
                                           .keys = fluid_look_keys,
                                           .key_count = COUNT(fluid_look_keys),
                                           .defaults = fluid_look_defaults,
                                           };

static const Key clip_keys[] = {
    {.name = "axis", .type = KEY_ENUM, .offset = VIEW(clip_axis), .words = axis_words, .doc = "Axis across the plane."},
    {.name = "position", .type = KEY_NUMBER, .offset = VIEW(clip_position), .unit = "m", .range = COORDINATE, .required = true,
     .doc = "Where the plane is on that axis."},
};

const Section clip_section = {.path = "view.clip",
                                     .doc = "Cuts the scene open: what is on the camera's side of a plane is not drawn.",
                                     .size = sizeof(mn_ViewDef),
                                     .keys = clip_keys,
                                     .key_count = COUNT(clip_keys)};

#define FOAM_LOOK(member) offsetof(mn_FoamLook, member)

static const Key foam_look_keys[] = {
    {.name = "radius", .type = KEY_NUMBER, .offset = FOAM_LOOK(radius), .unit = "1", .range = ABOVE(0, 1000),
     .doc = "Factor of the radius of diffuse particles."},
    {.name = "intensity_modulus", .type = KEY_NUMBER, .offset = FOAM_LOOK(intensity_modulus), .unit = "1", .range = ABOVE(0, 1e6),
     .doc = "How much foam is opaque: iota = t^exponent / (modulus + t^exponent) of the thickness t."},
    {.name = "intensity_exponent", .type = KEY_NUMBER, .offset = FOAM_LOOK(intensity_exponent), .unit = "1", .range = ABOVE(0, 100),
     .doc = "The exponent: above 1 thin foam is fainter."},
    {.name = "depth", .type = KEY_NUMBER, .offset = FOAM_LOOK(depth), .unit = "m", .range = ABOVE(0, 1e9), AUTO,
     .doc = "How far below the surface bubbles are seen; auto is a quarter of the size of the fluid."},
    {.name = "depth_exponents", .type = KEY_PAIR, .offset = FOAM_LOOK(depth_exponents), .unit = "1", .range = ABOVE(0, 100),
     .doc = "n and m of the falloff (1 - (x / depth)^n)^m at x below the surface."},
    {.name = "occlusion_start", .type = KEY_NUMBER, .offset = FOAM_LOOK(occlusion_start), .unit = "particle radii",
     .range = WITHIN(0, 1e4), .doc = "Shadows: pass k looks start + step k radii around."},
    {.name = "occlusion_step", .type = KEY_NUMBER, .offset = FOAM_LOOK(occlusion_step), .unit = "particle radii",
     .range = WITHIN(0, 1e4), .doc = "The step."},
    {.name = "occlusion_passes", .type = KEY_INTEGER, .offset = FOAM_LOOK(occlusion_passes), .range = WITHIN(0, 16),
     .doc = "Passes; 0 makes no shadows."},
    {.name = "occlusion_density", .type = KEY_NUMBER, .offset = FOAM_LOOK(occlusion_density), .unit = "1/pixel3",
     .range = ABOVE(0, 1e6), .doc = "Samples that shadows are found by."},
    {.name = "occlusion_samples", .type = KEY_INTEGER_PAIR, .offset = FOAM_LOOK(occlusion_samples), .unit = "per pixel and pass",
     .range = WITHIN(1, 4096), .doc = "How many samples at least and at most."},
    {.name = "occlusion_distance", .type = KEY_NUMBER, .offset = FOAM_LOOK(occlusion_distance), .unit = "m", .range = ABOVE(0, 1e9),
     AUTO, .doc = "What is farther in front casts no shadow; auto is 50 radii of diffuse particles."},
    {.name = "liquid_opacity", .type = KEY_NUMBER, .offset = FOAM_LOOK(liquid_opacity), .unit = "1", .range = WITHIN(0, 1),
     .doc = "How much of a shadow the liquid's surface casts."},
    {.name = "shadow_scale", .type = KEY_NUMBER, .offset = FOAM_LOOK(shadow_scale), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Shadow = (occlusion scale)^exponent + offset."},
    {.name = "shadow_exponent", .type = KEY_NUMBER, .offset = FOAM_LOOK(shadow_exponent), .unit = "1", .range = ABOVE(0, 100),
     .doc = "The exponent."},
    {.name = "shadow_offset", .type = KEY_NUMBER, .offset = FOAM_LOOK(shadow_offset), .unit = "1", .range = WITHIN(-1, 1),
     .doc = "The offset."},
    {.name = "shadow_colour", .type = KEY_COLOUR, .offset = FOAM_LOOK(shadow_colour),
     .doc = "Colour of foam in the deepest shadow, about that of the fluid; foam is never darker."},
    {.name = "brightness", .type = KEY_NUMBER, .offset = FOAM_LOOK(brightness), .unit = "1", .range = WITHIN(0, 1000),
     .doc = "Factor of the light that falls on foam; at 2 it reflects all of it."},
    {.name = "droplets", .type = KEY_BOOLEAN, .offset = FOAM_LOOK(droplets),
     .doc = "Draws fluid particles that fly alone as spray, where there is foam."},
    {.name = "traced", .type = KEY_BOOLEAN, .offset = FOAM_LOOK(traced),
     .doc = "Final pictures: diffuse particles are traced as small clouds, with shadows and in mirrors, instead of being laid over the "
            "picture. Slower."},
};

const Section foam_look_section = {.path = "view.foam",
                                          .doc = "How spray, foam and bubbles look, if there are any.",
                                          .size = sizeof(mn_FoamLook),
                                          .keys = foam_look_keys,
                                          .key_count = COUNT(foam_look_keys),
                                          .check = foam_look_check};

static const Key view_keys[] = {
    {.name = "camera", .type = KEY_OBJECT, .offset = 0, .count_offset = VIEW(has_camera), .word = "auto",
     .section = &camera_section, .doc = "Where the picture is taken from; auto frames the scene by itself."},
    {.name = "size", .type = KEY_INTEGER_PAIR, .offset = VIEW(width), .unit = "pixels", .range = WITHIN(16, 16384),
     .doc = "Width and height of the picture."},
    {.name = "style", .type = KEY_ENUM, .offset = VIEW(style), .words = style_words,
     .doc = "particles: lit spheres; liquid: clear, as liquids look; surface: the surface of the liquid, opaque and coloured; auto: "
            "particles in fast pictures and liquid in final ones."},
    {.name = "colour", .type = KEY_ENUM, .offset = VIEW(colour), .words = colour_words,
     .doc = "What the colour of particles and surfaces shows."},
    {.name = "range", .type = KEY_PAIR, .offset = VIEW(range), .unit = "of what is shown", AUTO,
     .doc = "Values at the ends of the colour scale."},
    {.name = "colour_bar", .type = KEY_BOOLEAN, .offset = VIEW(colour_bar), .doc = "Draws the colour scale."},
    {.name = "time_stamp", .type = KEY_BOOLEAN, .offset = VIEW(time_stamp), .doc = "Writes the simulated time into the picture."},
    {.name = "title", .type = KEY_STRING, .offset = VIEW(title), .word = "auto",
     .doc = "Title of the picture; auto is the scene's name, an empty one leaves it out."},
    {.name = "captions", .type = KEY_LIST, .offset = VIEW(captions), .count_offset = VIEW(caption_count), .range = WITHIN(0, 64),
     .section = &caption_section, .doc = "More lines of text."},
    {.name = "background", .type = KEY_COLOUR, .offset = VIEW(background), .doc = "Red, green and blue of the background."},
    {.name = "environment", .type = KEY_OBJECT, .offset = VIEW(environment), .section = &environment_section,
     .doc = "What surrounds the scene."},
    {.name = "lights", .type = KEY_LIST, .offset = VIEW(lights), .count_offset = VIEW(light_count), .range = WITHIN(0, 8),
     .section = &light_section, .doc = "Far lamps; none takes the light that belongs to the environment."},
    {.name = "exposure", .type = KEY_NUMBER, .offset = VIEW(exposure), .unit = "1", .range = ABOVE(0, 1000),
     .doc = "Brightness of final pictures."},
    {.name = "ground", .type = KEY_OBJECT, .offset = VIEW(ground), .count_offset = VIEW(has_ground), .word = "none",
     .section = &ground_section, .doc = "The ground below the scene."},
    {.name = "solids", .type = KEY_LIST, .offset = VIEW(solids), .count_offset = VIEW(solid_count), .range = WITHIN(0, 10000),
     .section = &solid_look_section, .doc = "What solids are made of."},
    {.name = "fluids", .type = KEY_LIST, .offset = VIEW(fluids), .count_offset = VIEW(fluid_count), .range = WITHIN(0, 255),
     .section = &fluid_look_section, .doc = "How liquids look."},
    {.name = "clip", .type = KEY_OBJECT, .offset = 0, .count_offset = VIEW(has_clip), .word = "none", .section = &clip_section,
     .doc = "Cuts the scene open."},
    {.name = "foam", .type = KEY_OBJECT, .offset = VIEW(foam), .count_offset = VIEW(has_foam), .word = "none",
     .section = &foam_look_section, .doc = "How spray, foam and bubbles look."},
    {.name = "boundary", .type = KEY_BOOLEAN, .offset = VIEW(boundary), .doc = "Shows the boundary particles of solids too."},
};

const Section view_section = {.path = "view",
                              .doc = "How pictures of the scene are taken.",
                              .size = sizeof(mn_ViewDef),
                              .keys = view_keys,
                              .key_count = COUNT(view_keys),
                              .check = view_check};
// clang-format on
