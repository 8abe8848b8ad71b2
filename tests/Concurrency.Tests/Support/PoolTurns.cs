namespace Raceway.Concurrency.Tests.Support;

/// <summary>Lets the thread pool begin all that it was given before.</summary>
/// <remarks>Its own queue is first in, first out: what was queued there before has begun once a later item has run.</remarks>
internal static class PoolTurns
{
    private const int Turns = 64;

    public static async Task PassAsync()
    {
        for (int i = 0; i < Turns; i++)
        {
            var ran = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            ThreadPool.UnsafeQueueUserWorkItem(static ran => ran.SetResult(), ran, preferLocal: false);
            await ran.Task.OrHang();
        }
    }
}
