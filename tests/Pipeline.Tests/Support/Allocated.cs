namespace Raceway.Pipelines.Tests.Support;

/// <summary>What something allocates, over all threads of the process. Nothing else may run beside it.</summary>
/// <remarks>
/// The test host counts as well: 10 to 14 KB now and then, more often on a crowded machine. What is measured allocates its own in
/// every run; so runs are short, and the least of them counts.
/// </remarks>
internal static class Allocated
{
    private const int MostRuns = 200;

    /// <summary>The runs that are made in any case.</summary>
    public const int LeastRuns = 10;

    /// <summary>The bytes of the run that has allocated least, of <see cref="LeastRuns"/>; of more while that is above
    /// <paramref name="most"/>.</summary>
    public static async Task<long> LeastAsync(long most, Func<Task> run)
    {
        long least = long.MaxValue;
        for (int runs = 0; runs < LeastRuns || (least > most && runs < MostRuns); runs++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await run();
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
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
