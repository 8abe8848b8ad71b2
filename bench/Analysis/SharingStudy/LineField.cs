using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>Memory that fits in no cache, in nodes of half a page, linked to one circle in random order.</summary>
/// <remarks>
/// Every line of a node holds the number of the next node and a zero, so that a walk may enter by any of them and make its
/// next address depend on what it has loaded.
/// </remarks>
internal sealed class LineField
{
    /// <summary>Longs of a line that all machines have at least.</summary>
    public const int LineLongs = 8;

    /// <summary>Longs of a node: half a page, so that all of its lines are reached by one translation.</summary>
    public const int NodeLongs = 32 * LineLongs;

    private const int FullBytes = 128 << 20;
    private static readonly Lock s_gate = new();
    private static readonly WeakReference<LineField?> s_shared = new(null);

    /// <summary>Creates a field.</summary>
    /// <param name="nodes">How many nodes it has.</param>
    public LineField(int nodes)
    {
        Nodes = nodes;
        Lines = new AlignedBlock<long>(nodes * NodeLongs);
        int[] next = new int[nodes];
        for (int i = 0; i < nodes; i++) next[i] = i;

        // Sattolo: one circle through all nodes, so that no walk stays in a part of them. Seeded: every run walks alike.
        var random = new Random(1);
        for (int i = nodes - 1; i > 0; i--)
        {
            int other = random.Next(i);
            (next[i], next[other]) = (next[other], next[i]);
        }

        for (int node = 0; node < nodes; node++)
        {
            for (int line = 0; line < NodeLongs; line += LineLongs) Lines[((long)node * NodeLongs) + line] = next[node];
        }
    }

    /// <summary>How many nodes there are.</summary>
    public int Nodes { get; }

    /// <summary>The lines.</summary>
    public AlignedBlock<long> Lines { get; }

    /// <summary>One field for all that need a large one; it is given back when the last user has disposed of it.</summary>
    public static LineField Shared()
    {
        lock (s_gate)
        {
            if (s_shared.TryGetTarget(out LineField? field)) return field;
            field = new LineField(FullBytes / (NodeLongs * sizeof(long)));
            s_shared.SetTarget(field);
            return field;
        }
    }
}
