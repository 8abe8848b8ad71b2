namespace Raceway.Testing;

/// <summary>Leaves the thread without a context until it is disposed of.</summary>
/// <remarks>A handler that awaits then goes on at once, on the thread that completes what it awaits: the one that moves the time.</remarks>
internal readonly ref struct NoContext
{
    private readonly SynchronizationContext? _outer;

    private NoContext(SynchronizationContext? outer)
    {
        _outer = outer;
        SynchronizationContext.SetSynchronizationContext(null);
    }

    public static NoContext Enter() => new(SynchronizationContext.Current);

    public void Dispose() => SynchronizationContext.SetSynchronizationContext(_outer);
}
