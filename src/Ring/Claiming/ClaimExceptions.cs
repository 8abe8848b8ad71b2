namespace Raceway.Rings;

/// <summary>A handler waited for room in its own ring.</summary>
public sealed class ReentrantPublishException : InvalidOperationException
{
    internal ReentrantPublishException(string message)
        : base(message)
    {
    }
}

/// <summary>The 64-bit sequence of a ring is used up.</summary>
public sealed class SequenceExhaustedException : InvalidOperationException
{
    internal SequenceExhaustedException(string message)
        : base(message)
    {
    }
}
