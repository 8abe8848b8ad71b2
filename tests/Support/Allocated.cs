namespace Raceway.Tests.Support;

/// <summary>What something allocates, over all threads of the process. Nothing else may run beside it.</summary>
/// <remarks>
/// What the test host does in the background comes in lumps, of 10 to 14 KB: most runs, where they are short, have none of it. So
/// the quieter half of some runs counts. What is measured allocates its own in all of them.
/// </remarks>
internal static class Allocated
{
    private const int Attempts = 20;

    /// <summary>How many runs there are at least.</summary>
    public const int LeastRuns = 10;

    /// <summary>The bytes that a run of the quieter half has allocated, on average; tried again while that is above
    /// <paramref name="most"/>.</summary>
    public static async Task<long> LeastAsync(long most, Func<Task> run)
    {
        long[] spent = new long[LeastRuns];
        long least = long.MaxValue;
        for (int attempt = 0; attempt < Attempts && least > most; attempt++)
        {
            for (int i = 0; i < spent.Length; i++)
            {
                long before = GC.GetTotalAllocatedBytes(precise: true);
                await run();
                spent[i] = GC.GetTotalAllocatedBytes(precise: true) - before;
            }

            Array.Sort(spent);
            least = Math.Min(least, spent.Take(LeastRuns / 2).Sum() / (LeastRuns / 2));
        }

        return least;
    }

    /// <inheritdoc cref="LeastAsync"/>
    public static long Least(long most, Action run) => LeastAsync(most, () =>
    {
        run();
        return Task.CompletedTask;
    }).GetAwaiter().GetResult();
}
