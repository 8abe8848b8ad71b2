namespace Raceway.Concurrency.Tests.Executors;

/// <summary>What ran, by whom, one at a time.</summary>
internal sealed class Log(int callers)
{
    private readonly int[] _next = new int[callers];
    private int _inside;

    public int Count { get; private set; }

    public string? Wrong { get; private set; }

    public int Add(int caller, int item)
    {
        Enter(caller, item);
        Leave();
        return item;
    }

    public int Enter(int caller, int item)
    {
        if (Interlocked.Exchange(ref _inside, 1) != 0) Wrong ??= $"two at once: {caller}, {item}";
        if (_next[caller]++ != item) Wrong ??= $"order: {caller}, {item}";
        Count++;
        return item;
    }

    public void Leave() => Volatile.Write(ref _inside, 0);
}
