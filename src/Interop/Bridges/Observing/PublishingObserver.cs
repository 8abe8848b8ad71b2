namespace Raceway.Interop;

/// <summary>An observer that publishes what it is told.</summary>
internal sealed class PublishingObserver<T>(SharedInlet<T> inlet) : IObserver<T>
{
    private int _ended;

    public void OnNext(T value)
    {
        if (Volatile.Read(ref _ended) == 0) inlet.Publish(value);
    }

    public void OnError(Exception error)
    {
        ArgumentNullException.ThrowIfNull(error);
        End(error);
    }

    public void OnCompleted() => End(null);

    private void End(Exception? error)
    {
        if (Interlocked.Exchange(ref _ended, 1) == 0) inlet.TryComplete(error);
    }
}
