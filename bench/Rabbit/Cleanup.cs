namespace Raceway.RabbitBench;

/// <summary>What is left at the broker after a run, however that ended.</summary>
internal static class Cleanup
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Tries to delete it. That it could not is told, and nothing more: the run may have failed by the same cause.
    /// </summary>
    public static async Task DeleteAsync(string what, Func<CancellationToken, Task> delete)
    {
        using var limit = new CancellationTokenSource(s_longest);
        try
        {
            await delete(limit.Token);
        }
        catch (Exception failure)
        {
            Console.Error.WriteLine($"The broker may still have {what}: {failure.Message} Delete what is left with rabbitmqctl.");
        }
    }
}
