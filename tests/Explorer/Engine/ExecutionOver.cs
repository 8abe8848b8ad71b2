namespace Raceway.Explorer.Engine;

/// <summary>Unwinds a modelled thread whose execution has ended.</summary>
internal sealed class ExecutionOver : Exception;

/// <summary>What a body finds wrong.</summary>
internal sealed class BodyFailed(string message) : Exception(message);
