using System.Numerics;

namespace Raceway.Testing;

/// <summary>The ways to cut items into batches.</summary>
internal static class Cuts
{
    /// <summary>All cuts of so many items: those with the fewest batches first.</summary>
    public static IEnumerable<IReadOnlyList<int>> Of(int items) =>
        Enumerable.Range(0, 1 << (items - 1))
            .OrderBy(static bits => BitOperations.PopCount((uint)bits)).ThenBy(static bits => bits)
            .Select(bits => Of(items, bits));

    /// <summary>As the messages write it: a bracket for each batch.</summary>
    public static string Text(IReadOnlyList<int> cut) => string.Concat(cut.Select(static size => $"[{size}]"));

    // A set bit ends a batch behind the item of that place.
    private static List<int> Of(int items, int bits)
    {
        List<int> sizes = [];
        int size = 1;
        for (int place = 0; place < items - 1; place++, size++)
        {
            if ((bits >> place & 1) == 0) continue;
            sizes.Add(size);
            size = 0;
        }

        sizes.Add(size);
        return sizes;
    }
}
