namespace Raceway.Testing;

/// <summary>A bounded wait, by the machine's time, for what virtual time cannot move: the thread pool, a task that ends elsewhere.</summary>
internal sealed class Patience(TimeSpan limit)
{
    private readonly long _until = Environment.TickCount64 + (long)limit.TotalMilliseconds;

    public bool IsOver => Environment.TickCount64 >= _until;

    /// <summary>Waits a moment for <paramref name="task"/>; true if it has ended, or the time is up.</summary>
    public bool Ends(Task task)
    {
        Task.WaitAny([task], 1);
        return task.IsCompleted || IsOver;
    }
}
