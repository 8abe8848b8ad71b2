using Raceway.Rings;

namespace Raceway.Concurrency.Tests.Mailboxes;

/// <summary>The ways in which a mailbox is driven and bounded, by names that a test report can show.</summary>
public static class Drivers
{
    public static TheoryData<string> All => new("pool", "thread");

    public static TheoryData<string, int?> Bounds => Cross.Of<string, int?>(["pool", "thread"], [null, 1, 3, 64]);

    internal static Wait Named(string driver) => driver == "pool" ? Wait.Async() : Wait.Park();

    /// <summary>A handler that holds its mailbox up until it is let go.</summary>
    internal sealed class Held : IDisposable
    {
        private readonly ManualResetEventSlim _entered = new();
        private readonly ManualResetEventSlim _go = new();

        public void Hold()
        {
            _entered.Set();
            _go.Wait();
        }

        public void AwaitEntered() => Watchdog.Until(() => _entered.IsSet, "the handler");

        public void LetGo() => _go.Set();

        public void Dispose() => _go.Set();
    }
}
