/** A request of svc that this service does not accept: the status and text of the answer. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BadRequest';
    this.status = status;
  }
}
