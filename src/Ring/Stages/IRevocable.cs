namespace Raceway.Rings;

/// <summary>
/// A handler that may hold a call open for nothing but a user to come: the user need not come once the stage has ended.
/// </summary>
internal interface IRevocable
{
    /// <summary>
    /// Ends such a call with a <see cref="RevokedException"/>; does nothing where its user has come. Any thread, any number
    /// of times.
    /// </summary>
    void Revoke();
}

/// <summary>The end of a call that was taken back: the stage ends, and its handler has not failed.</summary>
internal sealed class RevokedException : Exception;
