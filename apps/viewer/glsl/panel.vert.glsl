in vec4 in_0; // corner [pixels], place in the texture or in the shape
in vec4 in_1; // colour
in vec4 in_2; // of lines their ends; of discs centre and radius
in float in_3; // 0 plain, 1 letter, 2 line, 3 disc, 4 picture
out vec2 vPlace;
flat out vec4 vInk;
flat out vec4 vShape;
flat out float vKind;

void main()
{
    vPlace = in_3 == 2.0 || in_3 == 3.0 ? in_0.xy : in_0.zw;
    vInk = in_1;
    vShape = in_2;
    vKind = in_3;
    gl_Position = vec4(2.0 * in_0.xy / uSize - 1.0, 0, 1);
}
