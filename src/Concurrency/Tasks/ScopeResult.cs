namespace Raceway.Concurrency;

/// <summary>What a child results in; to be read between the join and the end of the scope.</summary>
/// <typeparam name="TResult">The result.</typeparam>
public readonly struct ScopeResult<TResult> : IEquatable<ScopeResult<TResult>>
{
    private readonly ScopeCore? _scope;
    private readonly object? _child;
    private readonly long _version;

    internal ScopeResult(ScopeCore scope, ScopeValue<TResult> child)
        : this(scope, (object)child)
    {
    }

    internal ScopeResult(ScopeCore scope, Task<TResult> child)
        : this(scope, (object)child)
    {
    }

    private ScopeResult(ScopeCore scope, object child)
    {
        _scope = scope;
        _child = child;
        _version = scope.Version;
    }

    /// <summary>The result.</summary>
    /// <exception cref="InvalidOperationException">The scope has not been joined, or the child did not get to its end.</exception>
    /// <exception cref="ObjectDisposedException">The scope has been disposed of.</exception>
    public TResult Value
    {
        get
        {
            if (_scope is not { } scope || scope.Version != _version) throw TaskMisuse.ScopeOver();
            if (!scope.IsJoined) throw TaskMisuse.ScopeNotJoined();
            if (_child is ScopeValue<TResult> spawned) return spawned.Read();
            var added = (Task<TResult>)_child!;
            return added.IsCompletedSuccessfully ? added.Result : throw TaskMisuse.NoResult();
        }
    }

    /// <inheritdoc/>
    public bool Equals(ScopeResult<TResult> other) => ReferenceEquals(_child, other._child) && _version == other._version;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is ScopeResult<TResult> other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_child, _version);

    /// <summary>Whether both are of the same child.</summary>
    public static bool operator ==(ScopeResult<TResult> left, ScopeResult<TResult> right) => left.Equals(right);

    /// <summary>Whether they are of different children.</summary>
    public static bool operator !=(ScopeResult<TResult> left, ScopeResult<TResult> right) => !left.Equals(right);
}
