namespace Raceway.Analysis.Layouts;

/// <summary>Where live ones of a type begin: offsets alone never prove how fields split over lines.</summary>
public static class LivePlaces
{
    private const int Most = 64;
    private const int MostBytes = 4 << 20;

    /// <summary>Makes some and tells how far into its line the address of each was, in the order they were made.</summary>
    /// <param name="layout">A type that live ones can be made of (<see cref="TypeLayout.NotLive"/>).</param>
    /// <param name="lineSize">Bytes of a line.</param>
    /// <returns>Objects one by one; of a struct the elements of an array.</returns>
    public static IReadOnlyList<int> Look(TypeLayout layout, int lineSize)
    {
        int count = Math.Clamp(MostBytes / layout.Size, 1, Most);
        if (layout.Kind == LayoutKind.Class)
        {
            object[] made = [.. Enumerable.Range(0, count).Select(_ => LiveObject.Create(layout.Type))];
            return [.. made.Select(one => (int)(RawObject.AddressOf(one) % lineSize))];
        }

        // The elements begin behind the header and the array's length, which takes a word.
        nint first = RawObject.AddressOf(Array.CreateInstance(layout.Type, count)) + RawObject.HeaderSize;
        return [.. Enumerable.Range(0, count).Select(i => (int)((first + (nint)i * layout.Size) % lineSize))];
    }
}
