namespace Raceway.Pipelines;

/// <summary>What a spawned child results in; to be read between the join and the end of the scope.</summary>
/// <typeparam name="TResult">The result.</typeparam>
public readonly struct ScopeResult<TResult> : IEquatable<ScopeResult<TResult>>
{
    private readonly ScopeValue<TResult>? _child;
    private readonly int _version;

    internal ScopeResult(ScopeValue<TResult> child, int version)
    {
        _child = child;
        _version = version;
    }

    /// <summary>The result.</summary>
    /// <exception cref="InvalidOperationException">The scope has not been joined, or the child did not get to its end.</exception>
    /// <exception cref="ObjectDisposedException">The scope has been disposed of.</exception>
    public TResult Value =>
        _child is { } child && child.Scope.Version == _version ? child.Read() : throw TaskMisuse.ScopeOver();

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
