namespace Raceway.Interop.Journal.Files;

/// <summary>Runs what waits for the disk beside the caller.</summary>
/// <remarks>On a thread of its own: a thread of the pool would be missing there meanwhile.</remarks>
internal static class Beside
{
    /// <summary>Runs <paramref name="work"/>, which throws nothing.</summary>
    public static void Run(Action work) => Run(work, static thread => thread.UnsafeStart());

    /// <summary>The same, with another way to start a thread: for tests.</summary>
    internal static void Run(Action work, Action<Thread> start)
    {
        try
        {
            start(new Thread(() => work()) { IsBackground = true, Name = "raceway journal" });
        }
        catch (Exception cause) when (cause is OutOfMemoryException or ThreadStartException)
        {
            // The process may have no more threads. The pool has some already.
            ThreadPool.UnsafeQueueUserWorkItem(static work => work(), work, preferLocal: false);
        }
    }
}
