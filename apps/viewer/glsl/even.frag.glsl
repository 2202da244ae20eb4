// The mean of 4 x 4 pixels, which have all turns of the spiral, without crossing edges of depth.
layout(location = 0) out vec4 oReach;
uniform sampler2D uDepth, uReach;
uniform int uFactor;
uniform ivec2 uPixels;
uniform float uRadius;

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    float z = texelFetch(uDepth, at * uFactor, 0).r, edge = max(3.0 * uRadius, 0.01 * z);
    vec3 sum = vec3(0);
    for (int y = -2; y < 2; y++)
        for (int x = -2; x < 2; x++) {
            ivec2 t = at + ivec2(x, y);
            if (any(lessThan(t, ivec2(0))) || any(greaterThanEqual(t, uPixels)))
                continue;
            if (abs(texelFetch(uDepth, t * uFactor, 0).r - z) < edge)
                sum += vec3(texelFetch(uReach, t, 0).rg, 1);
        }
    oReach = z < NOTHING && sum.z > 0.0 ? vec4(sum.xy / sum.z, 0, 0) : vec4(1);
}
