using System.CommandLine;

namespace Raceway.Lab.Cli;

/// <summary>An option that takes the name of a file to write: it changes nothing of what is measured.</summary>
internal sealed class OutputOption : Option<string?>
{
    /// <summary>Creates the option.</summary>
    public OutputOption(string name, string description)
        : base(name)
    {
        Description = description;
        HelpName = "FILE";
        Validators.Add(result =>
        {
            if (result.Tokens.Count == 1 && string.IsNullOrWhiteSpace(result.Tokens[0].Value))
            {
                result.AddError($"{name} takes the name of a file, but got an empty one; leave the option out instead.");
            }
        });
    }
}
