using System.Threading.Tasks.Sources;

namespace Raceway.Tests.Support;

/// <summary>The source of tasks that were awaited before: it takes no awaiter, and after some looks no look either.</summary>
/// <param name="pendingLooks">So many looks find it pending.</param>
internal sealed class StaleSource(int pendingLooks) : IValueTaskSource, IValueTaskSource<int>, IValueTaskSource<bool>
{
    private int _pendingLooks = pendingLooks;

    public ValueTaskSourceStatus GetStatus(short token) => _pendingLooks-- > 0 ? ValueTaskSourceStatus.Pending : throw Stale();

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => throw Stale();

    void IValueTaskSource.GetResult(short token) => throw Stale();

    int IValueTaskSource<int>.GetResult(short token) => throw Stale();

    bool IValueTaskSource<bool>.GetResult(short token) => throw Stale();

    private static InvalidOperationException Stale() => new("stale");
}
