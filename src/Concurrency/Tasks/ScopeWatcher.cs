namespace Raceway.Concurrency;

/// <summary>Waits for one child of a scope that runs already.</summary>
internal sealed class ScopeWatcher
{
    private readonly ScopeCore _scope;
    private readonly Action _ended;
    private ValueTask _child;

    public ScopeWatcher(ScopeCore scope)
    {
        _scope = scope;
        _ended = OnEnded;
    }

    public void Watch(ValueTask child)
    {
        _child = child;
        child.ConfigureAwait(false).GetAwaiter().UnsafeOnCompleted(_ended);
    }

    private void OnEnded()
    {
        ValueTask child = _child;
        _child = default;
        _scope.TakeResult(child);
        _scope.ChildEnded();
    }
}
