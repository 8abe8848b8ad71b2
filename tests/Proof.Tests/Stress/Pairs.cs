namespace Raceway.Proof.Tests.Stress;

/// <summary>Rows in which every allowed pair of values of two factors occurs: most faults of a configuration need two.</summary>
/// <param name="sizes">How many values each factor has.</param>
/// <param name="allowed">Whether value b of factor a goes with value d of factor c; what is asked is always a &lt; c.</param>
internal sealed class Pairs(int[] sizes, Func<int, int, int, int, bool> allowed)
{
    private const int Candidates = 30;
    private const int MostTries = 10_000;
    private const int Unset = -1;

    /// <summary>The rows, the same for the same seed.</summary>
    public List<int[]> Rows(int seed)
    {
        var random = new Random(seed);
        HashSet<(int A, int B, int C, int D)> open = [.. All()];
        List<int[]> rows = [];
        while (open.Count > 0)
        {
            int[]? best = null;
            int most = 0;
            for (int i = 0; i < Candidates || best is null; i++)
            {
                if (i == MostTries) throw new InvalidOperationException($"No row has {open.First()}: the rules contradict it.");
                if (Candidate(open, random) is not { } row) continue;
                int covers = Of(row).Count(open.Contains);
                if (covers <= most) continue;
                (best, most) = (row, covers);
            }

            rows.Add(best);
            open.ExceptWith(Of(best));
        }

        return rows;
    }

    /// <summary>The pairs of a row.</summary>
    public static IEnumerable<(int A, int B, int C, int D)> Of(int[] row)
    {
        for (int a = 0; a < row.Length; a++)
            for (int c = a + 1; c < row.Length; c++) yield return (a, row[a], c, row[c]);
    }

    /// <summary>Every allowed pair.</summary>
    public IEnumerable<(int A, int B, int C, int D)> All()
    {
        for (int a = 0; a < sizes.Length; a++)
            for (int c = a + 1; c < sizes.Length; c++)
                for (int b = 0; b < sizes[a]; b++)
                    for (int d = 0; d < sizes[c]; d++)
                        if (allowed(a, b, c, d)) yield return (a, b, c, d);
    }

    // Begins with an open pair and takes, factor by factor, the value that closes the most; null where none fits.
    private int[]? Candidate(HashSet<(int A, int B, int C, int D)> open, Random random)
    {
        int[] row = [.. Enumerable.Repeat(Unset, sizes.Length)];
        (int a, int b, int c, int d) = open.ElementAt(random.Next(open.Count));
        (row[a], row[c]) = (b, d);
        int[] order = [.. Enumerable.Range(0, sizes.Length)];
        random.Shuffle(order);
        foreach (int factor in order)
        {
            if (row[factor] != Unset) continue;
            int[] values = [.. Enumerable.Range(0, sizes[factor]).Where(value => Fits(row, factor, value))];
            if (values.Length == 0) return null;
            random.Shuffle(values);
            row[factor] = values.MaxBy(value => Closes(row, factor, value, open));
        }

        return row;
    }

    private bool Fits(int[] row, int factor, int value)
    {
        for (int other = 0; other < row.Length; other++)
        {
            if (row[other] == Unset) continue;
            (int a, int b, int c, int d) = Ordered(factor, value, other, row[other]);
            if (!allowed(a, b, c, d)) return false;
        }

        return true;
    }

    private static int Closes(int[] row, int factor, int value, HashSet<(int A, int B, int C, int D)> open)
    {
        int closed = 0;
        for (int other = 0; other < row.Length; other++)
            if (row[other] != Unset && open.Contains(Ordered(factor, value, other, row[other]))) closed++;
        return closed;
    }

    private static (int A, int B, int C, int D) Ordered(int a, int b, int c, int d) => a < c ? (a, b, c, d) : (c, d, a, b);
}
