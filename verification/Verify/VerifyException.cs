namespace Raceway.Verify;

/// <summary>What stops the program and is told by its message alone.</summary>
/// <param name="message">What is wrong, and with what.</param>
internal sealed class VerifyException(string message) : Exception(message);
